import { diffManifests, type ManifestChange } from 'mcp-kit/tools/inspect';
import { usageError } from '../../args.ts';
import { defineCommand, type Invocation } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import {
  readManifest,
  type ManifestDocument,
  type ManifestSource,
} from '../../governed/read-manifest.ts';
import { helpHint } from '../../help.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, type Paint, type Style } from '../../terminal/style.ts';

type Impact = ManifestChange['impact'];

const impacts: readonly Impact[] = ['breaking', 'compatible', 'cosmetic'];

export const manifestDiff = defineCommand({
  positionals: [
    { name: 'A', help: 'What was: a file, or a server. - is standard input.', files: true },
    {
      name: 'B',
      help: 'What is: the same, or a server that is typed.',
      optional: true,
      files: true,
    },
  ],
  options: {
    'allow-breaking': { type: 'boolean', help: 'Do not fail when something breaks.' },
  },
  examples: [
    { command: 'mcpctl manifest diff old.json new.json', about: 'Two files.' },
    {
      command: 'mcpctl manifest diff tools.json -- node server.mjs',
      about: 'What was released, and what would be.',
    },
    { command: 'mcpctl manifest diff staging production', about: 'Two servers.' },
  ],
  notes: [
    'What has a slash in it or ends with .json is a file, anything else the name of a server.',
    'Breaking: those who use the tools now may fail. Compatible: they gain. Cosmetic: they do not notice.',
    'Exit code 1 when something breaks.',
  ],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    const [before, after] = await readBoth(args, { globals, stop });
    const changes = diffManifests(before.tools, after.tools);
    const numberOf = (impact: Impact): number =>
      changes.filter((change) => change.impact === impact).length;
    const breaking = numberOf('breaking');
    if (globals.json) {
      const [, compatible, cosmetic] = impacts.map(numberOf);
      const sources = { before: before.source, after: after.source };
      printJson({ ...sources, breaking, compatible, cosmetic, changes });
    } else {
      const style = createStyle(globals);
      for (const change of changes) print(describe(change, style));
    }
    const sum = impacts.map((impact) => `${numberOf(impact)} ${impact}`).join(', ');
    sumUp(
      globals,
      changes.length === 0 ? 'no change' : `${count(changes.length, 'change')}: ${sum}`,
      startedMs,
    );
    return breaking > 0 && !values['allow-breaking'] ? exitCodes.failed : exitCodes.ok;
  },
});

type Run = Pick<Invocation, 'globals' | 'stop'>;

/** A server that was typed is what is compared with. */
async function readBoth(
  { A, B }: { readonly A: string; readonly B?: string | undefined },
  run: Run,
): Promise<readonly [ManifestDocument, ManifestDocument]> {
  const { target } = run.globals;
  const named = { ...run, globals: { ...run.globals, target: undefined } };
  const before = sourceOf(A);
  if (target !== undefined) {
    if (B === undefined) {
      return [await readManifest(before, named), await readManifest({ server: target.name }, run)];
    }
    throw usageError(`unexpected argument "${B}"`, 'The server that was typed is compared with A.');
  }
  if (B === undefined) {
    throw usageError('B is missing: a file or a server', helpHint('manifest diff'));
  }
  if (A === '-' && B === '-') {
    throw usageError('standard input can be read once only', 'Name a file for one of them.');
  }
  return [await readManifest(before, named), await readManifest(sourceOf(B), named)];
}

function sourceOf(word: string): ManifestSource {
  const isFile = word === '-' || /[/\\]|\.json$/i.test(word);
  return isFile ? { file: word } : { server: word };
}

function describe({ impact, tool, path, message }: ManifestChange, style: Style): string {
  const paints: Readonly<Record<Impact, Paint>> = {
    breaking: style.red,
    compatible: style.green,
    cosmetic: style.dim,
  };
  const word = paints[impact](impact.padEnd('compatible'.length));
  // Messages about schemas begin with their path.
  const said = path === undefined || message.startsWith(path) ? message : `${path}: ${message}`;
  return `${word} ${style.bold(plainField(tool))} ${plainField(said)}`;
}

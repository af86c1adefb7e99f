import { isRecord, KitError } from 'mcp-kit/internal';
import { adHocEntry, type ServerEntry } from '@mcp-kit/host';
import { usageError } from '../args.ts';
import type { Globals } from '../globals.ts';
import { warn } from '../output.ts';
import { plainField, plainLine } from '../terminal/plain-text.ts';
import { collectAnswers } from './answers.ts';
import {
  argumentWords,
  filledIn,
  inputsOf,
  listOf,
  pairsOf,
  textOf,
  type Part,
} from './server-json.ts';
import { checkSettings, type Settings } from './settings.ts';

/** The registry that the authors of the protocol run. */
const officialRegistry = 'https://registry.modelcontextprotocol.io';

/** Whether a word is a name of the registry: a domain, backwards, and a name below it. */
export function isRegistryName(word: string): boolean {
  return /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+\/[\w.-]+$/.test(word);
}

interface Context {
  readonly globals: Globals;
  readonly stop: AbortSignal;
  readonly settings: Settings;
}

/** Looks a server up, asks for what it needs, and gives the entry of it. */
export async function readFromRegistry(
  id: string,
  name: string | undefined,
  context: Context,
): Promise<ServerEntry> {
  const { globals, settings } = context;
  const server = await lookUp(id, context);
  const way = wayOf(id, server, settings);
  const isRemote = way.kind === 'remote';
  checkSettings(isRemote ? 'a URL of the registry' : 'a package of the registry', settings);
  const described = textOf(server, 'description');
  warn(globals, plainLine(`${id} ${textOf(server, 'version') ?? ''}: ${described ?? ''}`));
  const needed = inputsOf(way);
  const answers = await collectAnswers(needed, context);
  const short = name ?? id.slice(id.lastIndexOf('/') + 1);
  return isRemote
    ? remoteEntry(way.from, short, { answers, settings })
    : packageEntry(way.from, short, { answers, settings });
}

/** How a server can be had. */
type Way = { readonly kind: 'remote' | 'package'; readonly from: Part };

/** One at a URL before one that has to be run here, unless the user says otherwise. */
function wayOf(id: string, server: Part, { from }: Settings): Way {
  const remote = listOf(server, 'remotes').find((one) =>
    /^(streamable-http|sse)$/.test(textOf(one, 'type') ?? ''),
  );
  const local = listOf(server, 'packages').find((one) =>
    runners.has(textOf(one, 'registryType') ?? ''),
  );
  if (remote !== undefined && from !== 'package') return { kind: 'remote', from: remote };
  if (local !== undefined && from !== 'remote') return { kind: 'package', from: local };
  const kinds = listOf(server, 'packages').map((one) => textOf(one, 'registryType') ?? '?');
  throw usageError(
    `${id} can be had in no way that is known here${from === undefined ? '' : ` from a ${from}`}`,
    kinds.length === 0
      ? 'Look at its own page for how to run it.'
      : `It is published for ${kinds.join(', ')}; known are ${[...runners.keys()].join(', ')}.`,
  );
}

interface Package {
  readonly id: string;
  readonly version: string | undefined;
  readonly runtime: string | undefined;
  /** Arguments of what runs it. */
  readonly before: readonly string[];
  /** Its own. */
  readonly after: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The command lines of packages, by where they are published. */
const runners: ReadonlyMap<string, (found: Package) => readonly string[]> = new Map([
  [
    'npm',
    ({ id, version, runtime = 'npx', before, after }) => {
      // Nobody is there to be asked whether it may be installed.
      const options = before.length > 0 ? before : ['-y'];
      return [runtime, ...options, version === undefined ? id : `${id}@${version}`, ...after];
    },
  ],
  [
    'pypi',
    ({ id, version, runtime = 'uvx', before, after }) => [
      runtime,
      ...before,
      version === undefined ? id : `${id}==${version}`,
      ...after,
    ],
  ],
  [
    'nuget',
    ({ id, version, runtime = 'dnx', before, after }) => [
      runtime,
      ...before,
      version === undefined ? id : `${id}@${version}`,
      '--yes',
      ...after,
    ],
  ],
  [
    'oci',
    ({ id, version, runtime = 'docker', before, after, env }) => [
      runtime,
      'run',
      '-i',
      '--rm',
      ...Object.keys(env).flatMap((name) => ['-e', name]),
      ...before,
      version === undefined || /[:@]/.test(id.split('/').at(-1) ?? '') ? id : `${id}:${version}`,
      ...after,
    ],
  ],
]);

type Answers = ReadonlyMap<string, string>;

/** What was asked for, and what was said without being asked. */
interface Answered {
  readonly answers: Answers;
  readonly settings: Settings;
}

function packageEntry(found: Part, name: string, { answers, settings }: Answered): ServerEntry {
  const run = runners.get(textOf(found, 'registryType') ?? '');
  const asked = pairsOf(listOf(found, 'environmentVariables'), answers);
  const env = { ...settings.env, ...asked };
  const [command = '', ...args] =
    run?.({
      id: textOf(found, 'identifier') ?? '',
      version: textOf(found, 'version'),
      runtime: textOf(found, 'runtimeHint'),
      before: argumentWords(listOf(found, 'runtimeArguments'), answers),
      after: argumentWords(listOf(found, 'packageArguments'), answers),
      env,
    }) ?? [];
  return adHocEntry({ command, args, env, cwd: settings.cwd }, name);
}

function remoteEntry(found: Part, name: string, { answers, settings }: Answered): ServerEntry {
  const url = filledIn(textOf(found, 'url') ?? '', found, answers);
  const headers = { ...settings.headers, ...pairsOf(listOf(found, 'headers'), answers) };
  const flavour = textOf(found, 'type') === 'sse' ? 'sse' : 'http';
  return adHocEntry({ url, headers, flavour }, name);
}

const maxBytes = 1024 * 1024;
const timeoutMs = 15_000;

async function lookUp(id: string, { settings, stop }: Context): Promise<Part> {
  const { registry = officialRegistry, version = 'latest' } = settings;
  if (!URL.canParse(registry) || !/^https?:$/.test(new URL(registry).protocol)) {
    throw usageError(
      '--registry is not an http or https URL',
      `The official one is ${officialRegistry}.`,
    );
  }
  const base = registry.replace(/\/+$/, '');
  const url = `${base}/v0.1/servers/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}`;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(url, {
    signal,
    redirect: 'error',
    headers: { accept: 'application/json' },
  }).catch((cause: unknown) => {
    throw new KitError('unreachable', `the registry at ${base} cannot be reached`, {
      cause,
      hint: 'Check the network, or name another registry with --registry URL.',
    });
  });
  if (response.status === 404) {
    throw usageError(
      `the registry has no ${id}${version === 'latest' ? '' : ` in version ${version}`}`,
      `Names are as in ${base}/v0.1/servers?search=WORD`,
    );
  }
  if (!response.ok) {
    throw new KitError('http_status', `the registry answered with status ${response.status}`, {
      hint: `It was asked for ${plainField(url)}.`,
    });
  }
  const document = parsed(await textWithin(response));
  const server = isRecord(document) ? document['server'] : undefined;
  if (isRecord(server)) return server;
  throw new KitError('invalid_answer', `what is at ${url} is not an entry of a registry`);
}

async function textWithin(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    total += bytes.length;
    if (total > maxBytes) {
      throw new KitError(
        'invalid_answer',
        `the registry answered with more than ${maxBytes} bytes`,
      );
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KitError('invalid_answer', 'the registry answered with something that is not JSON', {
      cause,
    });
  }
}

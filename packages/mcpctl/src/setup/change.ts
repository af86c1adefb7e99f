import { hideSecrets, isSecretName, KitError } from 'mcp-kit/internal';
import type { ServerEntry } from '@mcp-kit/host';
import { usageError, type Options } from '../args.ts';
import { shownFile } from '../config.ts';
import type { Globals } from '../globals.ts';
import { print, warn } from '../output.ts';
import { plainField } from '../terminal/plain-text.ts';
import { Questioner } from '../terminal/question.ts';
import { mask } from '../terminal/secrets.ts';
import { createStyle } from '../terminal/style.ts';
import { differenceOf, type DifferenceLine } from './difference.ts';

/** A file before and after; without a text there is none. */
export interface FileChange {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Values that are not to be shown. */
  readonly secrets: readonly string[];
}

/** The options of every command that writes into files of others. */
export const changeOptions = {
  yes: { type: 'boolean', short: 'y', help: 'Do not ask: write what is shown.' },
  'dry-run': { type: 'boolean', help: 'Show what would be written, and write nothing.' },
} as const satisfies Options;

/** Shows what would change in each file. */
function showChanges(changes: readonly FileChange[], globals: Globals): void {
  const { bold, green, red, dim } = createStyle(globals);
  // A document on standard output stays one.
  const say = globals.json ? (text: string) => warn(globals, text) : print;
  const paints = { '+': green, '-': red, ' ': dim, '…': dim };
  for (const { file, before, after, secrets } of changes) {
    const what = before === undefined ? ' (new)' : after === undefined ? ' (removed)' : '';
    say(`${bold(plainField(shownFile(file, globals)))}${what}`);
    for (const line of differenceOf(before ?? '', after ?? '')) {
      say(paints[line.mark](`${line.mark} ${plainField(shownText(line, secrets))}`.trimEnd()));
    }
  }
}

/** A line as it may be shown: values of variables and headers are nobody's business. */
function shownText({ text }: DifferenceLine, secrets: readonly string[]): string {
  const member = /^(\s*"?)([\w.-]+)("?\s*[:=]\s*)("(?:\\.|[^"\\])*"|[^,{[]+)(,?)\s*$/.exec(text);
  const [, begin = '', name = '', colon = '', value = '', end = ''] = member ?? [];
  const isReference = /\$|\{env:/.test(value);
  const masked =
    member !== null && !isReference && isSecretName(name)
      ? `${begin}${name}${colon}"${mask}"${end}`
      : text;
  const all = secrets.reduce(
    (shown, secret) => shown.replaceAll(JSON.stringify(secret).slice(1, -1), mask),
    masked,
  );
  return hideSecrets(all, mask);
}

/** The values in entries that are not to be shown: of variables and headers, unless they only refer to some. */
export function secretsOf(entries: readonly ServerEntry[]): readonly string[] {
  const values = entries.flatMap(({ transport }) =>
    Object.values(transport.kind === 'stdio' ? transport.env : transport.headers),
  );
  const isTelling = (value: string): boolean => value.length >= 4 && !/\$|\{env:|%\w+%/.test(value);
  return values.filter(isTelling).toSorted((a, b) => b.length - a.length);
}

/** Who may be asked, and what was said beforehand. */
export interface Asking {
  readonly yes: boolean | undefined;
  readonly dryRun: boolean | undefined;
  readonly globals: Globals;
  readonly stop: AbortSignal;
}

/** Shows changes and has them agreed to; false when they are not to be made. */
export async function agreedTo(
  changes: readonly FileChange[],
  { yes, dryRun, globals, stop }: Asking,
): Promise<boolean> {
  const isQuiet = globals.json && (yes === true || dryRun === true);
  if (!isQuiet) showChanges(changes, globals);
  if (dryRun === true) return false;
  if (yes === true) return true;
  return agrees('Write this?', stop, {
    unasked: 'nothing was written: nobody can be asked here',
    hint: 'Add --yes if what is shown is right; --dry-run only shows it.',
  });
}

/** Whether standard input and standard error are a terminal that somebody can be asked on. */
export function isAttended(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks the person at the terminal; without one it is a usage error. */
export async function agrees(
  question: string,
  stop: AbortSignal,
  { unasked, hint }: { readonly unasked: string; readonly hint: string },
): Promise<boolean> {
  if (!isAttended()) throw usageError(unasked, hint);
  const questioner = new Questioner(stop);
  try {
    const outcome = await questioner.ask(`${question} [y/N] `);
    // A signal ends everything; what was read with it is no answer.
    if (outcome === 'interrupted' || stop.aborted) {
      throw new KitError('aborted', 'interrupted: nothing was done');
    }
    return typeof outcome === 'object' && /^y(es)?$/i.test(outcome.line.trim());
  } finally {
    questioner.close();
  }
}

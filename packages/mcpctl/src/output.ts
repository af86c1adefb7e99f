import { KitError, type KitErrorCode } from 'mcp-kit/internal';
import { RpcError } from 'mcp-kit/jsonrpc';
import { mcpErrors } from 'mcp-kit/protocol';
import { inFlags } from './flags.ts';
import type { Globals } from './globals.ts';
import { plainParagraph, plainText } from './terminal/plain-text.ts';
import { hideSpinner } from './terminal/spinner.ts';

/** Where output goes. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

let streamsNow: () => Streams | undefined = () => undefined;

/** Says where output goes instead of to this process's own: to whom a call is answered for. */
export function setStreams(now: () => Streams | undefined): void {
  streamsNow = now;
}

/** Writes to standard error, as it is. */
export function writeError(text: string): void {
  (streamsNow() ?? process).stderr.write(text);
}

/** Writes to standard output, as it is. */
export function writeOutput(text: string): void {
  hideSpinner();
  (streamsNow() ?? process).stdout.write(text);
}

/** Prints to standard output. */
export function print(text: string): void {
  writeOutput(`${text}\n`);
}

/** Prints one JSON document on one line; what a terminal would obey is escaped, which leaves it the same document. */
export function printJson(value: unknown): void {
  print(plainText(JSON.stringify(value)));
}

/** Tells the person at the terminal something that is not the output; it may have words of others in it. */
export function tell(text: string): void {
  hideSpinner();
  writeError(`mcpctl: ${plainParagraph(text)}\n`);
}

/** Prints a line to standard error as it is, unless the user wants silence. */
export function warn({ quiet }: Pick<Globals, 'quiet'>, text: string): void {
  if (quiet) return;
  hideSpinner();
  writeError(`${text}\n`);
}

/** Sums up for people what was printed: `2 tools · 143 ms`. */
export function sumUp(globals: Globals, text: string, startedMs: number): void {
  if (globals.json) return;
  warn(globals, `${text} · ${Math.round(performance.now() - startedMs)} ms`);
}

/** `1 tool`, `2 tools`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** How failures are shown. */
export interface FailureOptions {
  /** Adds where in the code it happened. */
  readonly stack: boolean;
  /** Standard output gets a JSON document as well, which says the same. */
  readonly json: boolean;
}

/** Says what went wrong and what to do next; a stack only for those who ask for it. */
export function reportFailure(error: unknown, { stack, json }: FailureOptions): void {
  const failure = describeFailure(error);
  if (json) printJson({ error: failure });
  tell(failure.message);
  if (failure.hint !== undefined) writeError(`${plainParagraph(failure.hint)}\n`);
  if (stack && error instanceof Error) writeError(`${plainText(error.stack ?? '')}\n`);
}

/** A failure as data. */
export interface Failure {
  /** The code of a local failure, or of the JSON-RPC error that the server answered with. */
  readonly code: string | number;
  readonly message: string;
  readonly hint?: string | undefined;
  /** What the server added to its error. */
  readonly data?: unknown;
}

/** What to do next, where the failure itself does not say. */
const nextSteps: Readonly<Partial<Record<KitErrorCode, string>>> = {
  answer_lost: 'It may have been done all the same: look before you try again.',
  capability_missing: 'See what the server can do: mcpctl doctor SERVER',
  closed: 'Find out why: mcpctl doctor SERVER, or add --trace.',
  http_status: 'Check the address. --trace shows what was sent, and what came back.',
  invalid_answer:
    'Check that it is an MCP server. If it is, report it to its author; --trace shows what came back.',
  invalid_config: 'Correct the file; mcpctl config lint shows all that is wrong.',
  overloaded: 'Try again later.',
  process_failed: 'Find out why: mcpctl doctor SERVER',
  refused_by_policy: 'If you trust the server: mcpctl trust approve SERVER',
  session_lost: 'Try again.',
  timeout: 'Allow more time with --timeout-ms MS, or see what happens with --trace.',
  unauthorized: 'Give credentials: in the headers of its configuration, or with --header.',
  unreachable: 'Check the address and the network: mcpctl doctor SERVER',
  unsupported_version: 'Update mcpctl or the server; perhaps --era legacy or --era modern helps.',
};

/** What can be told of anything thrown. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof KitError) {
    const { code } = error;
    const next = nextSteps[code];
    // What such a server says of itself tells how, but not where to put it.
    const isTheirs = code === 'unauthorized' && error.details?.['loginNeeded'] !== true;
    const said = error.hint ?? causeHint(error);
    const own = said && inFlags(said);
    const hint = isTheirs && own ? `${own}\n${next}` : (own ?? next);
    return { code, message: error.message, hint };
  }
  if (error instanceof RpcError) {
    const { code, data } = error;
    const message = `the server refused: ${error.message} (${code})`;
    const hint =
      code === mcpErrors.missingClientCapability
        ? 'Questions of servers are asked on a terminal only: standard input and standard error must be one.'
        : '--trace shows what was sent, and what came back.';
    return { code, message, hint, data };
  }
  const message = error instanceof Error ? error.message : String(error);
  const refused = systemCode(error);
  if (refused !== undefined) {
    return {
      code: refused,
      message,
      hint: 'The system says so: look at space, rights and limits.',
    };
  }
  return { code: 'bug', message, hint: 'This is a bug; --log-level debug shows where.' };
}

/** What to do about a connection that closed is what to do about why it did. */
function causeHint({ code, cause }: KitError): string | undefined {
  return code === 'closed' && cause instanceof KitError ? cause.hint : undefined;
}

/** What the system calls a failure of its own: `ENOSPC`. */
function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Why something could not be printed; standard output forgets it at once. */
let unwritten: string | undefined;

/** Keeps in mind what the system does not take, and goes on: a reader that went away is no reason to stop serving. */
export function watchOutput(): void {
  process.stdout.on('error', (error) => (unwritten ??= systemCode(error)));
  process.stderr.on('error', () => {});
}

/** Settles when everything printed has left this process; with why it could not. */
export async function flush(): Promise<Error | undefined> {
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  const code = unwritten ?? systemCode(process.stdout.errored);
  // A reader that has seen enough, as in `mcpctl tools | head -1`, loses nothing.
  if (code === undefined || code === 'EPIPE') return undefined;
  return Object.assign(new Error(`cannot write to standard output (${code})`), { code });
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

import path from 'node:path';
import { usageError, type OptionValues } from './args.ts';
import type { targetOptions } from './global-options.ts';
import { helpHint } from './help.ts';
import { commandLine } from './shell-words.ts';

/** A server that the user has typed: allowed as it is, because it is their own word. */
export type Target = { readonly name: string } & (
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'unix'; readonly path: string }
);

/** How to ask the same server something else: `mcpctl tools demo echo`, `mcpctl tools echo -- node …`. */
export function commandFor(
  target: Target | undefined,
  server: string,
  [verb, ...rest]: readonly string[],
): string {
  const names = rest.length === 0 ? [] : [commandLine(rest)];
  const begin = ['mcpctl', verb];
  if (target === undefined) return [...begin, commandLine([server]), ...names].join(' ');
  const way =
    target.kind === 'command' ? ['--', commandLine([target.command])] : [`--${target.kind}`];
  return [...begin, ...names, ...way, '…'].join(' ');
}

type TargetValues = OptionValues<typeof targetOptions>;

/** The one server that is typed, if any; two at once, or options for another kind, are usage errors. */
export function readTarget(
  values: TargetValues,
  typed: readonly string[] | undefined,
): Target | undefined {
  const ways: string[] = [];
  if (values.url !== undefined) ways.push('--url');
  if (values.unix !== undefined) ways.push('--unix');
  if (typed !== undefined) ways.push('a command after --');
  if (ways.length > 1) {
    throw usageError(`${ways[0]} and ${ways[1]} exclude each other`, 'Name one server.');
  }
  requireWay(values, typed);
  if (typed !== undefined) return commandTarget(values, typed);
  if (values.url !== undefined) return urlTarget(values.url, values.header ?? []);
  if (values.unix !== undefined) {
    return { kind: 'unix', name: path.basename(values.unix), path: path.resolve(values.unix) };
  }
  return undefined;
}

function requireWay(values: TargetValues, typed: readonly string[] | undefined): void {
  const stray = (['env', 'cwd'] as const).find((name) => values[name] !== undefined);
  if (stray !== undefined && typed === undefined) {
    throw usageError(
      `--${stray} needs a command`,
      `Put the command of the server last, after --: mcpctl tools --${stray} … -- npx some-server`,
    );
  }
  if (values.header !== undefined && values.url === undefined) {
    throw usageError(
      '--header needs --url',
      "Add --url URL, or put headers into the server's file.",
    );
  }
}

function commandTarget(values: TargetValues, typed: readonly string[]): Target {
  const [command, ...args] = typed;
  if (command === undefined || command === '') {
    throw usageError(
      'nothing follows --',
      'Put the command that starts the server there: -- npx some-server',
    );
  }
  const env = Object.fromEntries((values.env ?? []).map(readVariable));
  const name = path.basename(command).replace(/\.(exe|cmd|bat|js|mjs)$/i, '');
  const cwd = values.cwd === undefined ? undefined : path.resolve(values.cwd);
  return { kind: 'command', name, command, args, env, cwd };
}

/** A variable as it is typed. A wrong one is not shown: it may be half of a secret. */
export function readVariable(text: string, index: number): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageError(`--env number ${index + 1} has no "="`, 'Write it as --env NAME=VALUE.');
}

function urlTarget(url: string, headers: readonly string[]): Target {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw usageError(
      '--url is not an http or https URL',
      `Write it in full: --url https://example.com/mcp. ${helpHint()}`,
    );
  }
  return {
    kind: 'url',
    name: parsed.host,
    url,
    headers: Object.fromEntries(headers.map(readHeader)),
  };
}

/** A header as it is typed. */
export function readHeader(text: string, index: number): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw usageError(
    `--header number ${index + 1} is not a header`,
    "Write it as --header 'Name: value', in quotes.",
  );
}

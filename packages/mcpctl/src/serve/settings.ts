import type { LoggerLevel } from 'mcp-kit/internal';
import type { ServerSettings } from '@mcp-kit/host/operate';
import type { ProfileName } from 'mcp-kit/transport/http';
import { usageError } from '../args.ts';
import { readNumber } from '../arguments/number.ts';
import { helpHint } from '../help.ts';
import { httpOnly, type ServeValues } from './options.ts';
import { readServerSection } from './server-section.ts';
import { inMemory } from './state.ts';

/** Where to serve. */
export type Place =
  | { readonly kind: 'stdio' }
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'http'; readonly server: ServerSettings };

/** A command line that has been understood. */
export interface ServeSettings {
  readonly place: Place;
  readonly profile: ProfileName;
  readonly announce: 'text' | 'json' | 'nothing';
  readonly logLevel: LoggerLevel | 'silent';
  readonly logFormat: 'text' | 'json';
  /** How many processes serve; one, unless that is said. */
  readonly workers?: number | undefined;
}

const help = helpHint('serve');

/** Turns options into settings; what contradicts itself is a usage error. */
export async function readSettings(values: ServeValues): Promise<ServeSettings> {
  const place = await readPlace(values);
  const logs = place.kind === 'http' ? place.server.logs : undefined;
  return {
    place,
    profile: values.profile ?? 'spec',
    announce: readAnnounce(values),
    logLevel: values['log-level'] ?? logs?.level ?? 'warn',
    logFormat: values['log-format'] ?? logs?.format ?? 'text',
    workers: readWorkers(values.workers, place),
  };
}

const mostWorkers = 64;

function readWorkers(text: string | undefined, place: Place): number | undefined {
  if (text === undefined) return undefined;
  const hint = `Use a whole number from 1 to ${mostWorkers}.`;
  const count = readNumber('--workers', text, { least: 1, most: mostWorkers, hint });
  const store = place.kind === 'http' ? place.server.store : undefined;
  if (count > 1 && (store === undefined || store === inMemory)) {
    throw usageError(
      '--workers needs a store: in memory, each would know its own clients only',
      'Name a folder, --store DIR, or --store redis://HOST:PORT.',
    );
  }
  return count;
}

/** Says why something cannot be served by several processes. */
export function refuseWorkers({ workers }: Pick<ServeValues, 'workers'>, why: string): void {
  if (workers === undefined) return;
  throw usageError(`--workers cannot be here: ${why}`, 'Leave it out.');
}

async function readPlace(values: ServeValues): Promise<Place> {
  if (values.stdio) {
    forbid(values, '--stdio', [...httpOnly, 'unix']);
    return { kind: 'stdio' };
  }
  if (values.unix !== undefined) {
    forbid(values, '--unix', httpOnly);
    return { kind: 'unix', path: values.unix };
  }
  return { kind: 'http', server: await readServerSection(values) };
}

function forbid(
  values: ServeValues,
  chosen: string,
  options: readonly (keyof ServeValues)[],
): void {
  const stray = options.find((name) => values[name] !== undefined);
  if (stray === undefined) return;
  throw usageError(`${chosen} and --${stray} exclude each other`, `Leave out one of them. ${help}`);
}

function readAnnounce(values: ServeValues): ServeSettings['announce'] {
  if (values.stdio) {
    forbid(values, '--stdio', ['json']);
    return 'nothing';
  }
  if (values.quiet) {
    forbid(values, '--quiet', ['json']);
    return 'nothing';
  }
  return values.json ? 'json' : 'text';
}

import path from 'node:path';
import type { GatewayOptions } from '@mcp-kit/host/gateway';
import { usageError, type OptionValues } from '../args.ts';
import { readMs, readNumber } from '../arguments/number.ts';
import type { Globals } from '../globals.ts';
import { helpHint } from '../help.ts';
import { operatorNames } from '../serve/options.ts';
import { readPort } from '../serve/read-values.ts';
import { readServerSection } from '../serve/server-section.ts';
import { refuseWorkers, type Place } from '../serve/settings.ts';
import type { upOptions } from './options.ts';

/** A command line that has been understood. */
export interface UpPlan {
  readonly place: Place;
  readonly name: string | undefined;
  /** The port of the console; nothing where none is wanted. */
  readonly consolePort: number | undefined;
  readonly options: Pick<GatewayOptions, 'group' | 'waitMs' | 'maxCalls' | 'bridge' | 'disclosure'>;
}

type Values = OptionValues<typeof upOptions>;

const help = helpHint('up');
const httpOnly = ['port', 'host', 'path', 'settings', ...operatorNames] as const;

/** Turns options into a plan; what contradicts itself is a usage error. */
export async function readUpPlan(values: Values, globals: Globals): Promise<UpPlan> {
  return {
    place: await readPlace(values, globals),
    name: values.name,
    consolePort: readConsolePort(values),
    options: {
      group: values.group,
      waitMs: readMs('--wait-ms', values['wait-ms']),
      maxCalls: readCount('--max-calls-per-server', values['max-calls-per-server']),
      disclosure: readDisclosure(values.disclosure),
      bridge: {
        era: globals.era,
        timeoutMs: globals.timeoutMs,
        maxUpstreams: readCount('--max-upstreams', values['max-upstreams']),
      },
    },
  };
}

async function readPlace(values: Values, { json }: Globals): Promise<Place> {
  if (values.stdio) {
    forbid(values, '--stdio', [...httpOnly, 'unix']);
    if (json) throw excluded('--stdio', 'json');
    return { kind: 'stdio' };
  }
  if (values.unix !== undefined) {
    forbid(values, '--unix', httpOnly);
    return { kind: 'unix', path: path.resolve(values.unix) };
  }
  refuseWorkers(values, 'each process would start all servers, and answer mcpctl ps for itself');
  const { settings, ...rest } = values;
  return { kind: 'http', server: await readServerSection({ ...rest, config: settings }) };
}

function readConsolePort({ console: isWanted, 'console-port': port }: Values): number | undefined {
  if (port === undefined) return isWanted ? 0 : undefined;
  return readPort(port, '--console-port');
}

function forbid(values: Values, chosen: string, names: readonly (keyof Values)[]): void {
  const stray = names.find((name) => values[name] !== undefined);
  if (stray !== undefined) throw excluded(chosen, stray);
}

function excluded(chosen: string, other: string): Error {
  return usageError(
    `${chosen} and --${other} exclude each other`,
    `Leave out one of them. ${help}`,
  );
}

function readDisclosure(text: string | undefined): GatewayOptions['disclosure'] {
  if (text === undefined || text === 'auto' || text === 'full' || text === 'search') return text;
  throw usageError(
    `--disclosure: ${text} is no view of tools`,
    `Use auto, full or search. ${help}`,
  );
}

function readCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return readNumber(name, text, { least: 1, most: 999_999, hint: 'Use a whole number from 1 on.' });
}

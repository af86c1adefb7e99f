import { KitError } from 'mcp-kit/internal';
import { inFlags } from '../flags.ts';

/** What is looked at, from the file to the tools. */
export type RungName =
  | 'config'
  | 'trust'
  | 'program'
  | 'start'
  | 'socket'
  | 'proxy'
  | 'dns'
  | 'tcp'
  | 'tls'
  | 'http'
  | 'auth'
  | 'resource'
  | 'issuer'
  | 'client'
  | 'login'
  | 'version'
  | 'tools'
  | 'call';

/** One step on the way to a server that works, and what to do when it does not. */
export interface Rung {
  readonly name: RungName;
  /** `warning`: it works, and yet is likely not what was meant. `skipped`: an earlier one failed, or it is not needed. */
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found, in one line. */
  readonly said: string;
  /** The rest of it, a line each. */
  readonly more?: readonly string[] | undefined;
  readonly fix?: string | undefined;
  /** How long it took. */
  readonly ms?: number | undefined;
}

/** The rung that an error makes; its hint is the fix. */
export function failedRung(name: RungName, error: unknown, ms?: number): Rung {
  const message = error instanceof Error ? error.message : String(error);
  const [said = '', ...more] = message.split('\n');
  const fix = error instanceof KitError ? error.hint && inFlags(error.hint) : undefined;
  return { name, state: 'failed', said, more, fix, ms };
}

/** The rungs that are not reached any more. */
export function skippedRungs(names: readonly RungName[], said: string): readonly Rung[] {
  return names.map((name) => ({ name, state: 'skipped', said }));
}

/** Milliseconds since, whole ones. */
export function msSince(start: number): number {
  return Math.round(performance.now() - start);
}

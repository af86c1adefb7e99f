import type { LoadedConfig, ServerEntry } from '@mcp-kit/host';
import { dialectTitle, variablesOf, type VariableUse } from '@mcp-kit/host/internal';
import type { Rung } from './rung.ts';

/** A variable that an entry refers to, and whether there is one here; never what it holds. */
export interface VariableState extends VariableUse {
  /** Undefined where it cannot be told without resolving it. */
  readonly isSet?: boolean | undefined;
}

/** Every variable that an entry refers to, and whether it is set. */
export function variableStates(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
): readonly VariableState[] {
  return variablesOf(entry).map((use) => {
    if (use.scheme !== 'env') return use;
    return { ...use, isSet: Object.hasOwn(env, use.name) && env[use.name] !== undefined };
  });
}

/** Whether a server is written down in a way that can be used. */
export function configRung(
  entry: ServerEntry,
  {
    config,
    env,
  }: {
    /** Not there for a server that was named on the command line. */
    readonly config: Pick<LoadedConfig, 'errors' | 'warnings'> | undefined;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Rung {
  if (config === undefined) {
    return { name: 'config', state: 'ok', said: 'named on the command line' };
  }
  const { file, pointer, dialect } = entry.provenance;
  const said = `${file}#${pointer} (${dialectTitle(dialect)})`;
  const concerns = (place: unknown): boolean => place === '' || isBelow(String(place), pointer);
  const remarks = [
    ...config.errors
      .filter(({ details }) => details?.['file'] === file && concerns(details['pointer']))
      .map(({ message }) => message),
    ...config.warnings
      .filter((warning) => warning.file === file && concerns(warning.pointer))
      .map((warning) => `${warning.pointer}: ${warning.message}`),
  ];
  const more = [
    ...entry.shadows.map((other) => `shadows ${other.file}#${other.pointer}`),
    ...remarks,
  ];
  const rung = { name: 'config', said, more } as const;
  if (!entry.enabled) {
    const fix = 'It is switched off in its file: switch it on there.';
    return { ...rung, state: 'failed', fix };
  }
  const missing = variableStates(entry, env).filter(
    ({ isSet, hasDefault }) => isSet === false && hasDefault !== true,
  );
  if (missing.length > 0) {
    // One that is only handed on may be missing: what needs it will say so.
    const names = [...new Set(missing.map(({ name }) => name))].join(', ');
    const lines = missing.map((use) => `${use.pointer}: ${use.name} is not set`);
    return { ...rung, state: 'warning', more: [...more, ...lines], fix: `Set ${names}.` };
  }
  return { ...rung, state: remarks.length > 0 ? 'warning' : 'ok' };
}

function isBelow(pointer: string, top: string): boolean {
  return pointer === top || pointer.startsWith(`${top}/`);
}

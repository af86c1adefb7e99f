import { dialectOf } from './dialects/index.ts';
import type { ServerEntry } from './entry.ts';
import { entryRules } from './lint-rules.ts';
import type { LoadedConfig } from './load.ts';
import type { Place } from './place.ts';

/** Something to look at in a configuration. */
export interface ConfigFinding extends Place {
  /** `advice`: what nearly every file does, and could do better. */
  readonly severity: 'error' | 'warning' | 'advice';
  /** A short name of the rule. */
  readonly rule: string;
  readonly server?: string | undefined;
  readonly message: string;
  readonly fix?: string | undefined;
}

/** Everything in the files that is wrong, risky, or likely not what was meant. */
export function lintConfig(
  loaded: Pick<LoadedConfig, 'entries' | 'shadowed' | 'errors' | 'warnings'> &
    Partial<Pick<LoadedConfig, 'sources'>>,
): readonly ConfigFinding[] {
  const errors = loaded.errors.map(({ message, hint, details }): ConfigFinding => {
    const place = { file: String(details?.['file']), pointer: String(details?.['pointer']) };
    const said = message.replace(`${place.file}#${place.pointer}: `, '');
    return { severity: 'error', rule: 'invalid', ...place, message: said, fix: hint };
  });
  const warnings = loaded.warnings.map((warning): ConfigFinding => ({
    severity: 'warning',
    rule: 'suspicious',
    ...warning,
  }));
  const entries = [...loaded.entries, ...loaded.shadowed];
  const empty = (loaded.sources ?? []).filter(({ isEmpty }) => isEmpty);
  const nothing = empty.map(({ file }): ConfigFinding => ({
    severity: 'warning',
    rule: 'empty-file',
    file,
    pointer: '',
    message: 'there is nothing in it',
    fix: 'Name a server in it, or remove it.',
  }));
  return [...errors, ...warnings, ...nothing, ...entries.flatMap((entry) => lintEntry(entry))];
}

function lintEntry(entry: ServerEntry): readonly ConfigFinding[] {
  const dialect = dialectOf(entry.provenance.dialect);
  return entryRules.flatMap(({ rule, severity, find }) =>
    find(entry, dialect).map((found) => ({ severity, rule, server: entry.name, ...found })),
  );
}

import { dialectOf } from './dialects/index.ts';
import type { ConfigScope, DialectId, Provenance, ServerEntry } from './entry.ts';
import { variablesOf, type VariableUse } from './interpolate.ts';
import type { LoadedConfig } from './load.ts';

/** Where one server comes from and what it needs; never the value of a header or variable. */
export interface Explanation {
  readonly name: string;
  /** In one sentence, for people. */
  readonly text: string;
  readonly file: string;
  readonly pointer: string;
  readonly dialect: DialectId;
  readonly scope: ConfigScope;
  readonly enabled: boolean;
  /** The program, or the address without credentials and query. */
  readonly target: string;
  readonly shadows: readonly Provenance[];
  /** What it takes from outside its file. */
  readonly variables: readonly VariableUse[];
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
}

/** Says of every server that counts where it comes from, what it shadows and what it needs. */
export function explainConfig({ entries }: Pick<LoadedConfig, 'entries'>): readonly Explanation[] {
  return entries.map((entry) => {
    const { name, enabled, provenance, shadows, transport } = entry;
    const { file, pointer, dialect, scope } = provenance;
    return {
      name,
      text: sentence(entry),
      file,
      pointer,
      dialect,
      scope,
      enabled,
      target: targetOf(entry),
      shadows,
      variables: variablesOf(entry),
      envKeys: transport.kind === 'stdio' ? Object.keys(transport.env) : [],
      headerKeys: transport.kind === 'stdio' ? [] : Object.keys(transport.headers),
    };
  });
}

function sentence({ name, provenance, shadows, enabled }: ServerEntry): string {
  const place = ({ file, pointer }: Provenance): string => `${file}#${pointer}`;
  const origin = `${dialectOf(provenance.dialect).title}, ${provenance.scope}`;
  const hidden = shadows.length === 0 ? '' : ` and shadows ${shadows.map(place).join(', ')}`;
  const state = enabled ? '' : '; it is switched off';
  return `${name} comes from ${place(provenance)} (${origin})${hidden}${state}`;
}

/** How a server is reached, fit to be shown: a URL without credentials and query, a program without arguments. */
export function targetOf({ transport }: ServerEntry): string {
  if (transport.kind === 'stdio') return transport.command;
  if (transport.kind === 'unix') return transport.path;
  const { url } = transport;
  if (!URL.canParse(url)) return url.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*$/s, '');
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

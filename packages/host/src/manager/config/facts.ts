import type {
  HttpFlavour,
  HttpSettings,
  ServerEntry,
  StdioSettings,
  TransportSettings,
  UnixSettings,
} from './entry.ts';

/** How a server is reached, in one word. */
export type Kind = 'stdio' | 'unix' | HttpFlavour;

type Said = Omit<StdioSettings, 'kind'> &
  Omit<UnixSettings, 'kind'> &
  Omit<HttpSettings, 'kind' | 'flavour'> &
  ServerEntry['timeouts'] &
  ServerEntry['tools'] &
  Pick<ServerEntry, 'limits' | 'enabled' | 'autoApprove' | 'oauth' | 'title' | 'description'>;

/** An entry laid flat, with only what was said: the terms that the fields of all dialects are translated to and from. */
export type Facts = { -readonly [Name in keyof Said]?: Said[Name] | undefined } & {
  kind?: Kind | undefined;
};

export type Fact = keyof Facts;

const stdioFacts: readonly Fact[] = [
  'command',
  'args',
  'cwd',
  'env',
  'passEnv',
  'inheritEnv',
  'envFile',
  'stdoutLog',
];
const httpFacts: readonly Fact[] = [
  'url',
  'streamUrl',
  'headers',
  'bearerTokenEnv',
  'envHeaders',
  'proxy',
  'caFile',
];
const unixFacts: readonly Fact[] = ['path', 'httpPath', 'headers'];
const transportFacts: ReadonlySet<Fact> = new Set([...stdioFacts, ...httpFacts, ...unixFacts]);

/** Whether a fact means something for servers of this kind. */
export function applies(fact: Fact, kind: Kind): boolean {
  if (!transportFacts.has(fact)) return true;
  if (kind === 'stdio') return stdioFacts.includes(fact);
  return (kind === 'unix' ? unixFacts : httpFacts).includes(fact);
}

/** The settings of a transport that facts describe; `kind` says which of them count. */
export function transportOf(facts: Facts, kind: Kind): TransportSettings {
  if (kind === 'stdio') return stdioOf(facts);
  const { headers = {}, httpPath, envHeaders = {}, streamUrl, bearerTokenEnv } = facts;
  const { proxy, caFile } = facts;
  if (kind === 'unix') {
    return { kind, path: facts.path ?? '', headers, httpPath };
  }
  return {
    kind: 'http',
    url: facts.url ?? '',
    flavour: kind,
    headers,
    envHeaders,
    streamUrl,
    bearerTokenEnv,
    proxy,
    caFile,
  };
}

function stdioOf(facts: Facts): TransportSettings {
  const { command = '', args = [], env = {}, passEnv = [], inheritEnv = false } = facts;
  const { cwd, envFile, stdoutLog } = facts;
  return { kind: 'stdio', command, args, env, passEnv, inheritEnv, cwd, envFile, stdoutLog };
}

/** The rest of what an entry says. */
export function settingsOf(
  facts: Facts,
): Pick<
  ServerEntry,
  'limits' | 'enabled' | 'timeouts' | 'tools' | 'autoApprove' | 'oauth' | 'title' | 'description'
> {
  const { enabled = true, startupMs, requestMs, allow, deny } = facts;
  const { limits, autoApprove = [], oauth, title, description } = facts;
  return {
    limits,
    enabled,
    timeouts: { startupMs, requestMs },
    tools: { allow, deny },
    autoApprove,
    oauth,
    title,
    description,
  };
}

/** Lays an entry flat. */
export function factsOf(entry: ServerEntry): Facts {
  const { transport, limits, enabled, timeouts, tools, autoApprove } = entry;
  const { oauth, title, description } = entry;
  const { kind, ...settings } = transport;
  const rest = { limits, enabled, ...timeouts, ...tools, autoApprove, oauth, title, description };
  if (transport.kind !== 'http') return said({ ...settings, ...rest, kind });
  const { flavour, kind: _, ...remote } = transport;
  return said({ ...remote, ...rest, kind: flavour });
}

/** Leaves out what is as it would be unsaid. */
export function said(facts: Facts): Facts {
  const entries = Object.entries(facts).filter(([fact, value]) => isSaid(fact, value));
  return Object.fromEntries(entries);
}

function isSaid(fact: string, value: unknown): boolean {
  if (value === undefined) return false;
  if (fact === 'enabled') return value === false;
  if (fact === 'inheritEnv') return value === true;
  // A list that allows nothing is not the same as no list, nor are settings that leave all to the host no settings.
  if (fact === 'allow' || fact === 'oauth' || typeof value !== 'object' || value === null)
    return true;
  return Object.keys(value).length > 0;
}

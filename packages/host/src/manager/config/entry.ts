import type { Limits } from 'mcp-kit/jsonrpc';

/** The hosts, and forms of their own, whose configuration can be read and written. */
export type DialectId =
  | 'mcp-kit'
  | 'compat'
  | 'sep-2633'
  | 'claude-code'
  | 'claude-desktop'
  | 'vscode'
  | 'cursor'
  | 'codex'
  | 'gemini'
  | 'cline'
  | 'roo'
  | 'opencode'
  | 'opencode-v2'
  | 'windsurf'
  | 'goose'
  | 'copilot-cli'
  | 'zed'
  | 'kiro'
  | 'factory'
  | 'amp'
  | 'crush'
  | 'hermes'
  | 'lm-studio';

/** Who put the file there: the project, the user, their administrator, or the caller by naming it. */
export type ConfigScope = 'project' | 'user' | 'managed' | 'explicit';

/** Texts by name, as in environments and headers. */
export type TextRecord = Readonly<Record<string, string>>;

/** Where the standard output of a process is kept. */
export interface StdoutLogSettings {
  readonly path: string;
  readonly maxBytesPerPart?: number | undefined;
  readonly maxParts?: number | undefined;
}

/** A server that is a program to start. */
export interface StdioSettings {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: TextRecord;
  /** Variables handed on from the environment under their own names. */
  readonly passEnv: readonly string[];
  readonly inheritEnv: boolean;
  readonly envFile?: string | undefined;
  readonly stdoutLog?: StdoutLogSettings | undefined;
}

/** A server behind a unix socket or a named pipe; with `httpPath` it speaks HTTP there, else lines. */
export interface UnixSettings {
  readonly kind: 'unix';
  readonly path: string;
  readonly httpPath?: string | undefined;
  readonly headers: TextRecord;
}

/** A server behind a URL. */
export interface HttpSettings {
  readonly kind: 'http';
  readonly url: string;
  /** Where events come from, when not where messages go. */
  readonly streamUrl?: string | undefined;
  /** `http`: streamable HTTP; `sse`: the transport of 2024-11-05; `auto`: the first, else the second. */
  readonly flavour: HttpFlavour;
  readonly headers: TextRecord;
  /** The variable that holds the bearer token. */
  readonly bearerTokenEnv?: string | undefined;
  /** Headers whose values are in variables: header → variable. */
  readonly envHeaders: TextRecord;
  /** The URL of the proxy to it, instead of that of the environment. */
  readonly proxy?: string | undefined;
  /** The file of the certificates of those who sign its own, in PEM. */
  readonly caFile?: string | undefined;
}

/** How a server behind a URL is spoken to. */
export type HttpFlavour = 'http' | 'sse' | 'auto';

/** How a server is reached. */
export type TransportSettings = StdioSettings | UnixSettings | HttpSettings;

/** What a host was told about authorization; data only. */
export interface OAuthSettings {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly redirectUri?: string | undefined;
  readonly callbackPort?: number | undefined;
  readonly metadataUrl?: string | undefined;
}

/** A value that a person is asked for when it is needed. */
export interface InputDefinition {
  readonly id: string;
  readonly type: string;
  readonly description?: string | undefined;
  readonly default?: string | undefined;
  readonly password?: boolean | undefined;
  readonly options?: readonly unknown[] | undefined;
  readonly [other: string]: unknown;
}

/** Where an entry is written down. */
export interface Provenance {
  readonly file: string;
  /** The JSON pointer of the entry in its file. */
  readonly pointer: string;
  readonly dialect: DialectId;
  readonly scope: ConfigScope;
  /** The keys, relative to the pointer, that the host uses for our terms where they differ. */
  readonly keys: TextRecord;
}

/** One server, whatever host's file it comes from. Texts are as written: variables in them are not resolved. */
export interface ServerEntry {
  readonly name: string;
  readonly transport: TransportSettings;
  readonly enabled: boolean;
  readonly timeouts: {
    readonly startupMs?: number | undefined;
    readonly requestMs?: number | undefined;
  };
  /** What one of its messages may cost, where it is trusted. */
  readonly limits?: Partial<Limits> | undefined;
  /** Globs over the names of tools; without `allow` all are; `deny` wins. */
  readonly tools: {
    readonly allow?: readonly string[] | undefined;
    readonly deny?: readonly string[] | undefined;
  };
  /** Globs of tools that the host calls without asking. */
  readonly autoApprove: readonly string[];
  /** `false`: the host must not try to authorize. */
  readonly oauth?: OAuthSettings | false | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The questions that its texts refer to. */
  readonly inputs: readonly InputDefinition[];
  /** What the host's file says beyond this model, in the host's terms. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly provenance: Provenance;
  /** Entries of the same name that this one wins over, the next in line first. */
  readonly shadows: readonly Provenance[];
}

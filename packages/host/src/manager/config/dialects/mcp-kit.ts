import path from 'node:path';
import { isRecord, withoutUndefined } from 'mcp-kit/internal';
import { fieldsOf, type Dialect } from '../dialect.ts';
import type { StdoutLogSettings } from '../entry.ts';
import {
  alias,
  asRecord,
  asText,
  commandLine,
  flag,
  kindField,
  text,
  textMap,
  type Field,
} from '../field.ts';
import { below, configError, topOf, type Place } from '../place.ts';
import { configFolder, inProject, ofUser } from './candidates.ts';
import { checkServer, checkTop } from './v1-rules.ts';

/** A whole number, zero or more, if there is one. */
function asCount(value: unknown, place: Place): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw configError(place, 'must be a whole number, zero or more');
}

/** Where the output of a process is kept. */
const stdoutLog: Field = {
  read(value, place) {
    const {
      path: file,
      max_bytes_per_part: bytes,
      max_parts: parts,
      ...rest
    } = asRecord(value, place);
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) {
      throw configError(below(place, unknown), `unknown field \`${unknown}\``);
    }
    const at = (key: string): Place => below(place, key);
    const settings: StdoutLogSettings = {
      path: asText(file, at('path')),
      maxBytesPerPart: asCount(bytes, at('max_bytes_per_part')),
      maxParts: asCount(parts, at('max_parts')),
    };
    return { stdoutLog: settings };
  },
  write({ stdoutLog: settings }) {
    if (settings === undefined) return undefined;
    const { path: file, maxBytesPerPart, maxParts } = settings;
    return { path: file, max_bytes_per_part: maxBytesPerPart, max_parts: maxParts };
  },
};

/** What one message may cost. */
const limits: Field = {
  read(value, place) {
    const {
      max_bytes: bytes,
      max_depth: depth,
      max_elements: elements,
      ...rest
    } = asRecord(value, place);
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) {
      throw configError(below(place, unknown), `unknown field \`${unknown}\``);
    }
    const at = (key: string, count: unknown): number | undefined =>
      asCount(count, below(place, key));
    const read = {
      maxBytes: at('max_bytes', bytes),
      maxDepth: at('max_depth', depth),
      maxElements: at('max_elements', elements),
    };
    return { limits: withoutUndefined(read) };
  },
  write({ limits: given }) {
    if (given === undefined) return undefined;
    const { maxBytes, maxDepth, maxElements } = given;
    return { max_bytes: maxBytes, max_depth: maxDepth, max_elements: maxElements };
  },
};

/** The URLs of a remote server: one, or one for events and one for messages. */
export const urlFields: Readonly<Record<string, Field>> = {
  url: {
    read: (value, place) => ({ url: asText(value, place) }),
    write: ({ url, streamUrl }) => (streamUrl === undefined ? url : undefined),
  },
  sse_url: text('streamUrl'),
  http_url: {
    read: (value, place) => ({ url: asText(value, place) }),
    write: ({ url, streamUrl }) => (streamUrl === undefined ? undefined : url),
  },
};

/** `mcp.json`, version 1: strict at every level. */
export const mcpKit: Dialect = {
  id: 'mcp-kit',
  title: 'mcp.json version 1',
  format: 'json',
  home: ['servers'],
  blank: { version: 1 },
  fields: fieldsOf({
    transport: kindField({ stdio: 'stdio', unix: 'unix', streamable_http: 'http' }),
    argv: commandLine,
    inherit_env: flag('inheritEnv'),
    env: textMap('env'),
    stdout_log: stdoutLog,
    unix_path: text('path'),
    ...urlFields,
    headers: alias(textMap('headers')),
    http_headers: textMap('headers'),
    bearer_token_env_var: text('bearerTokenEnv'),
    env_http_headers: textMap('envHeaders'),
    proxy: text('proxy'),
    ca_file: text('caFile'),
    limits,
  }),
  strict: true,
  urlAlone: 'http',
  names: /^[A-Za-z0-9_-]+$/,
  syntax: { forms: ['brace'], unset: 'refuse', rootNames: ['MCP_ROOT', 'CLAUDE_PLUGIN_ROOT'] },
  check: checkServer,
  checkDocument: checkTop,
  where: (surroundings) => [
    inProject('mcp-kit', surroundings, '.mcp.json', 'mcp.json'),
    ...ofUser('mcp-kit', configFolder(surroundings), path.join('mcp-kit', 'mcp.json')),
  ],
};

/** What a configuration says about this side of the conversations. */
export interface ClientSettings {
  readonly protocolVersion?: string | undefined;
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[] | undefined;
  /** Where it is written down: it counts for the servers of that file. Without, it counts for all. */
  readonly file?: string | undefined;
}

/** The `client` of a document of version 1, which must have been checked. */
export function clientOf(document: unknown): ClientSettings {
  const client = isRecord(document) ? document['client'] : undefined;
  if (!isRecord(client)) return {};
  checkTop({ version: 1, client }, topOf(''));
  const { protocol_version: protocolVersion, capabilities, roots } = client;
  return withoutUndefined({ protocolVersion, capabilities, roots }) as ClientSettings;
}

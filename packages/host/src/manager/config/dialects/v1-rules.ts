import { isRecord } from 'mcp-kit/internal';
import { asBoolean, asRecord, asText } from '../field.ts';
import { readGateway } from '../gateway/settings.ts';
import { below, configError, type Place } from '../place.ts';

type Raw = Readonly<Record<string, unknown>>;

const remoteFields = ['url', 'sse_url', 'http_url'];
const headerFields = ['http_headers', 'headers', 'bearer_token_env_var', 'env_http_headers'];

/** Refuses what a server of `mcp.json` version 1 must not say. */
export function checkServer(raw: Raw, name: string, place: Place): void {
  const refuse = (fields: readonly string[], message: string): void => {
    const field = fields.find((key) => raw[key] !== undefined);
    if (field !== undefined) {
      throw configError(below(place, field), `mcp server ${name}: ${message}`);
    }
  };
  const transport = raw['transport'] ?? impliedTransport(raw);
  if (transport === undefined) {
    throw configError(place, `mcp server ${name}: transport is required`, {
      hint: 'Add "transport": "stdio", "unix" or "streamable_http".',
    });
  }
  const word = asText(transport, below(place, 'transport'));
  if (transport !== 'stdio') {
    refuse(['argv'], `argv is not allowed for transport=${word}`);
    refuse(['inherit_env'], 'inherit_env is only valid for transport=stdio');
    refuse(['env'], `env is not supported for transport=${word}`);
    refuse(['stdout_log'], `stdout_log is not supported for transport=${word}`);
  }
  if (transport !== 'unix') refuse(['unix_path'], 'unix_path is only valid for transport=unix');
  if (transport !== 'streamable_http') {
    const only = 'only valid for transport=streamable_http';
    refuse(remoteFields, `url/sse_url/http_url are ${only}`);
    refuse(headerFields, `http headers/auth are ${only}`);
    refuse(['proxy', 'ca_file'], `proxy/ca_file are ${only}`);
  }
  const values = { raw, name, place };
  if (transport === 'stdio') checkStdio(values);
  if (transport === 'unix') checkUnix(values);
  if (transport === 'streamable_http') checkRemote(values);
}

/** What the fields tell, where nothing is said. */
function impliedTransport(raw: Raw): string | undefined {
  if (raw['argv'] !== undefined) return 'stdio';
  if (raw['unix_path'] !== undefined) return 'unix';
  return remoteFields.some((field) => raw[field] !== undefined) ? 'streamable_http' : undefined;
}

interface Values {
  readonly raw: Raw;
  readonly name: string;
  readonly place: Place;
}

function checkStdio(values: Values): void {
  const { raw, name, place } = values;
  const { argv } = raw;
  const words: readonly unknown[] = Array.isArray(argv) ? argv : [];
  if (argv === undefined || (Array.isArray(argv) && argv.length === 0)) {
    throw empty(values, below(place, 'argv'), 'argv');
  }
  for (const [index, word] of words.entries()) {
    const at = below(place, 'argv', index);
    if (asText(word, at).trim() !== '') continue;
    throw empty(values, at, `argv[${index}]`);
  }
  checkTexts('env', values);
  if (raw['inherit_env'] !== undefined) asBoolean(raw['inherit_env'], below(place, 'inherit_env'));
  if (raw['stdout_log'] === undefined) return;
  const log = below(place, 'stdout_log');
  const { path } = asRecord(raw['stdout_log'], log);
  if (asText(path, below(log, 'path')).trim() !== '') return;
  const message = `invalid mcp server config (server=${name}): mcp stdout_log.path must not be empty`;
  throw configError(below(log, 'path'), message);
}

function checkUnix({ raw, name, place }: Values): void {
  const path = raw['unix_path'];
  if (path === undefined || (typeof path === 'string' && path.trim() === '')) {
    const message = `mcp server ${name}: unix_path is required for transport=unix`;
    throw configError(below(place, 'unix_path'), message);
  }
}

function checkRemote(values: Values): void {
  const { raw, name, place } = values;
  checkUrls(values);
  if (raw['headers'] !== undefined && raw['http_headers'] !== undefined) {
    const message = 'duplicate field `http_headers` (`headers` is another name for it)';
    throw configError(below(place, 'headers'), `mcp server ${name}: ${message}`);
  }
  for (const field of [...remoteFields, 'bearer_token_env_var', 'proxy', 'ca_file']) {
    const value = raw[field];
    if (value === undefined || asText(value, below(place, field)).trim() !== '') continue;
    throw empty(values, below(place, field), field);
  }
  for (const field of ['http_headers', 'headers', 'env_http_headers']) checkTexts(field, values);
}

/** One URL, or one for events and one for messages. */
function checkUrls({ raw, name, place }: Values): void {
  const refuse = (field: string, message: string): Error =>
    configError(below(place, field), `mcp server ${name}: ${message}`);
  const { url, sse_url: events, http_url: posts } = raw;
  const split = events !== undefined || posts !== undefined;
  if (url !== undefined && split) {
    throw refuse('url', 'set either url or (sse_url + http_url), not both');
  }
  if (split && (events === undefined || posts === undefined)) {
    const there = events === undefined ? 'http_url' : 'sse_url';
    throw refuse(there, 'sse_url and http_url must both be set');
  }
  if (url === undefined && !split) {
    throw refuse('url', 'url (or sse_url + http_url) is required for transport=streamable_http');
  }
}

/** The failure of a text that says nothing. */
function empty({ raw, name }: Values, at: Place, what: string): Error {
  const subject = `mcp server transport=${String(raw['transport'])}`;
  const message = `invalid mcp server config (server=${name}): ${subject}: ${what} must not be empty`;
  return configError(at, message);
}

/** A map whose keys and values are texts that say something. */
function checkTexts(field: string, values: Values): void {
  const { raw, place } = values;
  if (raw[field] === undefined) return;
  const known = field === 'headers' ? 'http_headers' : field;
  const at = below(place, field);
  for (const [key, value] of Object.entries(asRecord(raw[field], at))) {
    if (key.trim() === '') throw empty(values, below(at, key), `${known} key`);
    if (asText(value, below(at, key)).trim() === '')
      throw empty(values, below(at, key), `${known}[${key}]`);
  }
}

/** Refuses what the document around the servers must not say. */
export function checkTop(document: Raw, place: Place): void {
  const { version } = document;
  // There is but one so far: who leaves it out means it.
  if (version !== undefined && version !== 1) {
    const shown = typeof version === 'number' ? String(version) : 'of another type';
    const message = `unsupported mcp.json version ${shown} (expected 1)`;
    throw configError(below(place, 'version'), message);
  }
  checkKeys(document, ['version', 'client', 'gateway', 'servers', '$schema'], place);
  if (document['client'] !== undefined) checkClient(document['client'], below(place, 'client'));
  if (document['gateway'] !== undefined) readGateway(document['gateway'], below(place, 'gateway'));
}

function checkClient(value: unknown, place: Place): void {
  const client = asRecord(value, place);
  checkKeys(client, ['protocol_version', 'capabilities', 'roots'], place);
  const refuse = (at: Place, message: string): Error =>
    configError(at, `invalid mcp.json client config: ${message}`);
  const { protocol_version: version, capabilities, roots } = client;
  const at = (...keys: (string | number)[]): Place => below(place, ...keys);
  if (version !== undefined && asText(version, at('protocol_version')).trim() === '') {
    throw refuse(at('protocol_version'), 'mcp client.protocol_version must not be empty');
  }
  if (capabilities !== undefined && !isRecord(capabilities)) {
    throw refuse(at('capabilities'), 'mcp client capabilities must be a JSON object');
  }
  if (roots === undefined) return;
  if (!Array.isArray(roots)) throw configError(at('roots'), 'must be a list');
  for (const [index, item] of roots.entries()) {
    const root = asRecord(item, at('roots', index));
    checkKeys(root, ['uri', 'name'], at('roots', index));
    for (const key of ['uri', 'name']) {
      if (key === 'name' && root[key] === undefined) continue;
      if (asText(root[key], at('roots', index, key)).trim() !== '') continue;
      const message = `mcp client.roots[${index}].${key} must not be empty`;
      throw refuse(at('roots', index, key), message);
    }
  }
}

function checkKeys(record: Raw, known: readonly string[], place: Place): void {
  const unknown = Object.keys(record).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw configError(below(place, unknown), `unknown field \`${unknown}\``, {
    hint: `Known are ${known.join(', ')}.`,
  });
}

import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, type Dialect } from '../dialect.ts';
import { flag, kindField, text, textMap, texts, time } from '../field.ts';
import { valueAt } from '../values.ts';
import { configFolder, ofUser, settingsFolder } from './candidates.ts';

const remote = new Set(['stdio', 'sse', 'streamable_http']);

/** Goose: YAML, whose extensions are MCP servers among other things. */
export const goose: Dialect = {
  id: 'goose',
  title: 'Goose',
  format: 'yaml',
  home: ['extensions'],
  sections(document) {
    const extensions = valueAt(document, ['extensions']);
    const builtIn = Object.entries(isRecord(extensions) ? extensions : {}).filter(
      ([, raw]) => isRecord(raw) && typeof raw['type'] === 'string' && !remote.has(raw['type']),
    );
    return [{ path: ['extensions'], except: builtIn.map(([name]) => name) }];
  },
  fields: fieldsOf({
    // The key is the name; the host wants it again.
    name: { read: () => ({}), write: () => undefined },
    type: kindField({ stdio: 'stdio', sse: 'sse', streamable_http: 'http' }),
    enabled: flag('enabled'),
    display_name: text('title'),
    description: text('description'),
    cmd: text('command'),
    args: texts('args'),
    envs: textMap('env'),
    env_keys: texts('passEnv'),
    uri: text('url'),
    headers: textMap('headers'),
    timeout: time('requestMs', 's'),
    available_tools: texts('allow'),
  }),
  alsoKnown: new Set(['bundled']),
  urlAlone: 'http',
  syntax: { forms: ['brace', 'dollar'], unset: 'refuse' },
  complete: (raw, name) => ({ enabled: true, ...raw, name }),
  owns: /(^|\/)goose\/config\.ya?ml$/,
  where: (surroundings) => {
    const windows = surroundings.platform === 'win32';
    const folder = windows ? settingsFolder(surroundings) : configFolder(surroundings);
    const inside = windows ? path.join('Block', 'goose', 'config') : 'goose';
    return ofUser('goose', folder, path.join(inside, 'config.yaml'));
  },
};

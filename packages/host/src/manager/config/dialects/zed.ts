import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, type Dialect } from '../dialect.ts';
import { asText, asTexts, flag, restOf, text, textMap, texts, type Field } from '../field.ts';
import { below } from '../place.ts';
import { noReferences } from '../template.ts';
import { valueAt } from '../values.ts';
import { configFolder, inProject, ofUser } from './candidates.ts';

const env = textMap('env');

/** A program; older files have its arguments and environment in the same object. */
const command: Field = {
  read(value, place) {
    if (!isRecord(value)) return { command: asText(value, place) };
    const { path: program, args, env: variables, ...rest } = value;
    const read = isRecord(variables) ? env.read(variables, below(place, 'env')) : {};
    return {
      command: asText(program, below(place, 'path')),
      args: args === undefined ? undefined : asTexts(args, below(place, 'args')),
      ...read,
      keys: { command: 'command/path', args: 'command/args', env: 'command/env' },
      rest: restOf(Object.entries(rest)) ?? read.rest,
    };
  },
  write: ({ command: program }) => program,
};

/** Zed: `context_servers` in its settings. */
export const zed: Dialect = {
  id: 'zed',
  title: 'Zed',
  format: 'jsonc',
  home: ['context_servers'],
  sections(document) {
    const servers = valueAt(document, ['context_servers']);
    // Settings of an extension, which itself knows how to start its server.
    const extensions = Object.entries(isRecord(servers) ? servers : {}).filter(
      ([, raw]) => isRecord(raw) && raw['command'] === undefined && raw['url'] === undefined,
    );
    return [{ path: ['context_servers'], except: extensions.map(([name]) => name) }];
  },
  fields: fieldsOf({
    command,
    args: texts('args'),
    env,
    url: text('url'),
    headers: textMap('headers'),
    enabled: flag('enabled'),
  }),
  alsoKnown: new Set(['source', 'settings', 'remote', 'timeout']),
  urlAlone: 'http',
  syntax: noReferences,
  owns: /(^|\/)(\.zed|zed)\/settings\.json$/,
  where: (surroundings) => [
    inProject('zed', surroundings, path.join('.zed', 'settings.json')),
    ...ofUser('zed', configFolder(surroundings), path.join('zed', 'settings.json')),
  ],
};

import path from 'node:path';
import { fieldsOf, type Dialect } from '../dialect.ts';
import { asTexts, kindField, time, usualFields, type Field } from '../field.ts';
import { inProject, ofUser } from './candidates.ts';

/** The tools to offer; the host wants a list even when it is all of them. */
const tools: Field = {
  read(value, place) {
    const allow = asTexts(value, place);
    return allow.includes('*') ? {} : { allow };
  },
  write: ({ allow }) => allow ?? ['*'],
};

/** The Copilot CLI. */
export const copilotCli: Dialect = {
  id: 'copilot-cli',
  title: 'Copilot CLI',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    type: kindField({ local: 'stdio', stdio: 'stdio', http: 'http', sse: 'sse' }),
    ...usualFields,
    timeout: time('requestMs', 'ms'),
    tools,
  }),
  urlAlone: 'http',
  syntax: { forms: ['brace', 'brace-default'], unset: 'refuse' },
  owns: /(^|\/)(\.copilot\/mcp-config|\.github\/mcp)\.json$/,
  where: (surroundings) => [
    inProject('copilot-cli', surroundings, path.join('.github', 'mcp.json')),
    ...ofUser('copilot-cli', surroundings.home, path.join('.copilot', 'mcp-config.json')),
  ],
};

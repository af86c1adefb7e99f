import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, type Dialect, type Section } from '../dialect.ts';
import { asText, kindField, oauthField, text, textMap, texts, type Field } from '../field.ts';
import { valueAt } from '../values.ts';
import { inProject, ofUser, settingsFolder } from './candidates.ts';

const pipes = String.raw`\\.\pipe` + '\\';

/** A URL, which may be that of a socket or pipe that HTTP is spoken on: `unix:///path#/mcp`, `pipe:///pipe/name`. */
const url: Field = {
  read(value, place) {
    const address = asText(value, place);
    const [, scheme, target = '', fragment] =
      /^(unix|pipe):\/\/(\/[^#]*)(?:#(.*))?$/.exec(address) ?? [];
    if (scheme === undefined) return { url: address };
    const httpPath = fragment === undefined || fragment === '' ? '/' : fragment;
    if (scheme === 'unix') return { path: target, httpPath };
    return { path: pipes + target.replace(/^\/pipe\//, '').replaceAll('/', '\\'), httpPath };
  },
  write({ kind, path: socket, httpPath, url: address }) {
    if (kind !== 'unix') return address;
    if (httpPath === undefined || socket === undefined) return undefined;
    const fragment = httpPath === '/' ? '' : `#${httpPath}`;
    if (!socket.startsWith(pipes)) return `unix://${socket}${fragment}`;
    return `pipe:///pipe/${socket.slice(pipes.length).replaceAll('\\', '/')}${fragment}`;
  },
};

/** The documents that hold servers at another place than `mcp.json` does. */
const places: readonly Section[] = [
  { path: ['servers'] },
  { path: ['mcp', 'servers'] },
  { path: ['customizations', 'vscode', 'mcp', 'servers'] },
];

/** VS Code: `servers` and `inputs`, with comments. */
export const vscode: Dialect = {
  id: 'vscode',
  title: 'VS Code',
  format: 'jsonc',
  home: ['servers'],
  sections: (document) => places.filter(({ path: keys }) => isRecord(valueAt(document, keys))),
  fields: fieldsOf({
    type: kindField(
      { stdio: 'stdio', http: 'auto', sse: 'sse' },
      { stdio: 'stdio', http: 'http', unix: 'http', sse: 'sse' },
    ),
    command: text('command'),
    args: texts('args'),
    cwd: text('cwd'),
    env: textMap('env'),
    envFile: text('envFile'),
    url,
    headers: textMap('headers'),
    oauth: oauthField({ clientId: 'clientId' }),
  }),
  alsoKnown: new Set(['dev', 'sandboxEnabled', 'gallery', 'version']),
  urlAlone: 'auto',
  syntax: { forms: ['brace-env', 'input', 'place'], unset: 'refuse' },
  owns: /(^|\/)(\.vscode|\.vs|Code( - Insiders)?\/User|github-copilot\/intellij)\/mcp\.json$/,
  where: (surroundings) => [
    inProject('vscode', surroundings, path.join('.vscode', 'mcp.json')),
    inProject('vscode', surroundings, path.join('.devcontainer', 'devcontainer.json')),
    ...ofUser('vscode', settingsFolder(surroundings), path.join('Code', 'User', 'mcp.json')),
  ],
};

import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, ranks, type Candidate, type Dialect, type Section } from '../dialect.ts';
import { kindField, oauthField, plainFields, text, textMap, texts, time } from '../field.ts';
import { configError, below } from '../place.ts';
import { noReferences } from '../template.ts';
import { inProject, ofUser, settingsFolder } from './candidates.ts';

const managedFolders: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: String.raw`C:\Program Files\ClaudeCode`,
};

/** Claude Code: `.mcp.json`, `~/.claude.json`, and what an administrator sets. */
export const claudeCode: Dialect = {
  id: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  home: ['mcpServers'],
  sections(document, surroundings) {
    const sections: Section[] = [{ path: ['mcpServers'] }];
    const projects = isRecord(document) ? document['projects'] : undefined;
    const root = surroundings?.root;
    if (root !== undefined && isRecord(projects) && Object.hasOwn(projects, root)) {
      sections.push({ path: ['projects', root, 'mcpServers'], scope: 'user', rank: ranks.local });
    }
    return sections;
  },
  fields: fieldsOf({
    type: kindField({ stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' }),
    ...plainFields,
    oauth: oauthField(
      {
        clientId: 'clientId',
        scopes: 'scopes',
        callbackPort: 'callbackPort',
        metadataUrl: 'authServerMetadataUrl',
      },
      'words',
    ),
    timeout: time('requestMs', 'ms'),
  }),
  alsoKnown: new Set(['headersHelper', 'alwaysLoad', 'tools', 'request_timeout_ms']),
  syntax: {
    forms: ['brace', 'brace-default'],
    unset: 'refuse',
    rootNames: ['CLAUDE_PROJECT_DIR', 'CLAUDE_PLUGIN_ROOT'],
  },
  owns: /(^|\/)(\.claude\.json|managed-mcp\.json|\.mcp\.json)$/,
  where(surroundings) {
    const { platform, home } = surroundings;
    const folder = managedFolders[platform] ?? '/etc/claude-code';
    const inside = inProject('claude-code', surroundings, '.mcp.json');
    if (home === undefined) return [inside];
    const managed: Candidate = {
      dialect: 'claude-code',
      files: [path.join(folder, 'managed-mcp.json')],
      scope: 'managed',
      rank: ranks.managed,
    };
    return [managed, inside, ...ofUser('claude-code', home, '.claude.json')];
  },
};

/** Claude Desktop, which starts programs and knows no URLs. */
export const claudeDesktop: Dialect = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  home: ['mcpServers'],
  fields: fieldsOf({ command: text('command'), args: texts('args'), env: textMap('env') }),
  syntax: noReferences,
  check(raw, _name, place) {
    if (raw['command'] !== undefined || raw['url'] === undefined) return;
    throw configError(below(place, 'url'), 'Claude Desktop starts programs and knows no URLs', {
      hint: 'Add the server as a connector in the app, or start a bridge such as mcp-remote.',
    });
  },
  owns: /claude_desktop_config\.json$/,
  where: (surroundings) =>
    ofUser(
      'claude-desktop',
      settingsFolder(surroundings),
      path.join('Claude', 'claude_desktop_config.json'),
    ),
};

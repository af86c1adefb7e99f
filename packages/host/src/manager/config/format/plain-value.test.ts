import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { entryDigest } from '../../trust/receipt.ts';
import { loadConfig } from '../load.ts';

const odd: readonly (readonly [what: string, file: string, text: string, pointer: string])[] = [
  [
    'half a character in a text',
    '.mcp.json',
    String.raw`{"mcpServers":{"odd":{"command":"x","args":["\ud800"]},"good":{"command":"x"}}}`,
    '/mcpServers/odd/args/0',
  ],
  [
    'half a character in a name',
    '.mcp.json',
    String.raw`{"mcpServers":{"\ud800":{"command":"x"},"good":{"command":"x"}}}`,
    '/mcpServers',
  ],
  [
    'half a character in a question',
    '.vscode/mcp.json',
    String.raw`{"inputs":[{"id":"a","type":"promptString","x":"\ud800"}],
      "servers":{"odd":{"command":"${'${input:a}'}"},"good":{"command":"x"}}}`,
    '/inputs/0/x',
  ],
  [
    'a number that is none',
    '.codex/config.toml',
    '[mcp_servers.odd]\ncommand="x"\ntools={ y=nan }\n[mcp_servers.good]\ncommand="x"\n',
    '/mcp_servers/odd/tools/y',
  ],
  [
    'nesting beyond measure',
    '.codex/config.toml',
    `[mcp_servers.good]\ncommand="x"\n[mcp_servers.odd]\ncommand="x"\ntools=${'['.repeat(600)}${']'.repeat(600)}\n`,
    '/mcp_servers/odd/tools/0',
  ],
];

test.each(odd)(
  '%s is a mistake of one server, and has a place',
  async (...[, file, text, pointer]) => {
    const root = await mkdtemp(path.join(tmpdir(), 'mcp-kit-plain-'));
    try {
      await mkdir(path.join(root, path.dirname(file)), { recursive: true });
      await writeFile(path.join(root, file), text);
      const { entries, errors } = await loadConfig({ root });
      expect(entries.map(({ name }) => name)).toEqual(['good']);
      expect(errors).toHaveLength(1);
      expect(errors[0]?.code).toBe('invalid_config');
      expect(String(errors[0]?.details?.['pointer']).startsWith(pointer)).toBe(true);
      for (const entry of entries) expect(entryDigest(entry)).toMatch(/^sha256:/);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);

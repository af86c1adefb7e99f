import { describe, expect, test } from 'vitest';
import { createServer } from 'mcp-kit';
import { openSession } from 'mcp-kit/client';
import { apps } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { tool } from 'mcp-kit/tools';

const chart = {
  uri: 'ui://chart',
  name: 'chart',
  html: '<!doctype html><p>chart</p>',
  csp: { connectDomains: ['https://data.example'] },
  permissions: ['camera'],
  prefersBorder: true,
} as const;
const ui = {
  csp: { connectDomains: ['https://data.example'] },
  permissions: { camera: {} },
  prefersBorder: true,
};
const mimeType = 'text/html;profile=mcp-app';

describe('Apps', () => {
  test.each(['legacy', 'modern'] as const)(
    'are pages that tools name, as the extension has them, for a %s client',
    async (era) => {
      const server = createServer({
        name: 's',
        version: '1',
        features: [apps([chart, { uri: 'ui://made', name: 'made', html: async () => '<p>' }])],
        tools: [
          tool({
            name: 'get_chart',
            description: 'Draws.',
            app: { resourceUri: 'ui://chart' },
            _meta: { mine: 1 },
            run: () => 'drawn',
          }),
          tool({
            name: 'set_point',
            description: 'Moves.',
            app: { visibility: ['app'] },
            run: () => 'moved',
          }),
        ],
      });
      const session = await openSession(memoryTarget(server), { name: 't', version: '1', era });
      try {
        expect(session.capabilities).toMatchObject({
          extensions: { 'io.modelcontextprotocol/ui': {} },
          resources: {},
        });
        const { tools } = await session.request('tools/list', {});
        expect(tools.map(({ _meta }) => _meta)).toEqual([
          { mine: 1, ui: { resourceUri: 'ui://chart' } },
          { ui: { visibility: ['app'] } },
        ]);
        const { resources } = await session.request('resources/list', {});
        expect(resources[0]).toEqual({ uri: 'ui://chart', name: 'chart', mimeType, _meta: { ui } });
        const read = await session.request('resources/read', { uri: 'ui://chart' });
        expect(read.contents).toEqual([
          { uri: 'ui://chart', mimeType, text: chart.html, _meta: { ui } },
        ]);
        const made = await session.request('resources/read', { uri: 'ui://made' });
        expect(made.contents).toMatchObject([{ text: '<p>', _meta: { ui: {} } }]);
      } finally {
        await session.close();
      }
    },
  );

  test('are at ui:// URIs only', () => {
    expect(() => apps([{ ...chart, uri: 'https://chart' }])).toThrow('the app chart has the URI');
  });
});

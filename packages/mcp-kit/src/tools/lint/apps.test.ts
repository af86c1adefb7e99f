import { describe, expect, test } from 'vitest';
import { fromListed, lintTools } from './lint.ts';

const page = { uri: 'ui://chart', mimeType: 'text/html;profile=mcp-app', text: '<p>' };

function found(ui: object, read?: object | null): readonly string[] {
  const tool = fromListed({
    name: 'get_chart',
    description: 'Draws.',
    inputSchema: { type: 'object' },
    _meta: { ui },
  });
  const looked = { ...tool, app: tool.app && { ...tool.app, page: read as never } };
  return lintTools([looked])
    .filter(({ rule }) => rule.startsWith('app-'))
    .map(({ rule, message }) => `${rule}: ${message}`);
}

describe('The linter of tools that have an app', () => {
  test.each([
    [{ resourceUri: 'ui://chart' }, page],
    [{ resourceUri: 'ui://chart' }, undefined],
    [
      { resourceUri: 'ui://chart', visibility: ['app'] },
      { ...page, _meta: { ui: {} } },
    ],
    [{ visibility: ['model', 'app'] }, undefined],
    [
      { resourceUri: 'ui://chart' },
      {
        ...page,
        _meta: {
          ui: {
            csp: {
              connectDomains: ['wss://live.example.com:8443', 'http://localhost:3000'],
              resourceDomains: ['https://*.example.com'],
              frameDomains: [],
            },
          },
        },
      },
    ],
  ])('finds nothing in %j', (ui, read) => {
    expect(found(ui, read)).toEqual([]);
  });

  test.each([
    [{ resourceUri: 'https://x' }, undefined, 'app-uri: its app has the URI "https://x"'],
    [{ resourceUri: 7 }, undefined, 'app-uri: its app has the URI 7'],
    [{ resourceUri: 'ui://chart' }, null, 'app-there: there is no page at ui://chart'],
    [
      { resourceUri: 'ui://chart' },
      { ...page, mimeType: 'text/html' },
      'app-type: the type of its app is text/html',
    ],
    [{ visibility: [] }, undefined, 'app-visibility: its visibility is []'],
    [{ visibility: ['user'] }, undefined, 'app-visibility: its visibility is ["user"]'],
  ])('%j %j', (ui, read, finding) => {
    expect(found(ui, read)).toEqual([finding]);
  });

  test.each([
    '*',
    "'unsafe-eval'",
    'https://a.example; script-src *',
    'https://a.example/path',
    'data:',
    'a.example',
  ])('takes %s for no origin', (origin) => {
    const read = { ...page, _meta: { ui: { csp: { resourceDomains: [origin] } } } };
    expect(found({ resourceUri: 'ui://chart' }, read)).toEqual([
      `app-origins: resourceDomains of its app has ${JSON.stringify(origin)}, which is not an origin`,
    ]);
  });

  test('says which lists of origins there are', () => {
    const read = { ...page, _meta: { ui: { csp: { scriptSrc: [] } } } };
    expect(found({ resourceUri: 'ui://chart' }, read)).toEqual([
      'app-origins: the csp of its app has "scriptSrc"',
    ]);
  });
});

import path from 'node:path';
import { gateway } from '@mcp-kit/host/gateway';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import type { Tool } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { lintTools, fromListed } from 'mcp-kit/tools/inspect';
import type { Browser, Frame, Page } from 'playwright-core';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inMemory } from '../gateway/memory.ts';
import { makeReady } from '../interop/peers.mjs';
import { root } from '../support/child-process.ts';
import { ProjectCopy } from '../support/cocos/sample-project.ts';
import { hasBrowser, openBrowser } from '../support/browser.ts';

const scenePath = 'assets/scenes/menu.scene';
/** What the specification says of pages that name no origins. */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
const mimeTypes = ['text/html;profile=mcp-app'];
const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes } } };

/** Two projects behind a gateway: both have the tool, and the page has to call its own. */
async function servers() {
  const copies = [new ProjectCopy(), new ProjectCopy()] as const;
  const [mine, other] = await Promise.all(
    copies.map(({ folder }) => openCocosServer({ project: folder })),
  );
  if (mine === undefined || other === undefined) throw new Error('there are two');
  const all = gateway(
    { mine: inMemory(mine.server, 'mine'), other: inMemory(other.server, 'other') },
    { disclosure: 'full' },
  );
  await all.settled();
  const who = { name: 'host', version: '1', capabilities };
  const direct = await openSession(memoryTarget(mine.server), who);
  const through = await openSession(memoryTarget(all), who);
  return {
    direct,
    through,
    async close() {
      await direct.close();
      await through.close();
      await all.close();
      for (const one of [mine, other]) await one[Symbol.asyncDispose]();
      for (const copy of copies) copy[Symbol.dispose]();
    },
  };
}

let world: Awaited<ReturnType<typeof servers>>;
beforeAll(async () => {
  world = await servers();
});
afterAll(() => world.close());

test('The picture of a scene has an app, in which the linter finds nothing', async () => {
  for await (const tool of world.direct.tools()) {
    if (tool.name !== 'get_scene_picture') continue;
    const linted = fromListed(tool);
    const uri = 'ui://cocos/scene-picture';
    expect(linted.app).toEqual({ resourceUri: uri, visibility: undefined });
    const { contents } = await world.direct.readResource(uri);
    const [page] = contents;
    expect(page).toMatchObject({ uri, mimeType: mimeTypes[0], _meta: { ui: {} } });
    const found = lintTools([{ ...linted, app: { ...linted.app, page } }]);
    expect(found.filter(({ rule }) => rule.startsWith('app-'))).toEqual([]);
    return;
  }
  expect.unreachable('the tool is listed');
});

/** The script of a host, as a browser loads it. */
async function scriptOf(name: string): Promise<string> {
  await makeReady();
  const { output } = await build({
    input: path.join(root, 'test/apps/page', name),
    write: false,
    platform: 'browser',
    resolve: { modules: [path.join(root, 'peers/node_modules')] },
    output: { format: 'iife' },
  });
  return output[0].code;
}

interface Started {
  readonly page: Page;
  readonly frame: Frame;
  /** What the app has asked and told its host. */
  readonly heard: { readonly method: string; readonly params: Record<string, unknown> }[];
  readonly troubles: string[];
  /** What the next call of the app is answered, instead of by its server. */
  answer: unknown;
}

/** Calls the tool as a model would, and shows the page that goes with it. */
async function shown(browser: Browser, host: string, way: 'direct' | 'through'): Promise<Started> {
  const session = world[way];
  let tool: Tool | undefined;
  for await (const one of session.tools()) {
    if (/^(?:mine__)?get_scene_picture$/.test(one.name)) tool = one;
  }
  if (tool === undefined) throw new Error('the tool is listed');
  const args = { scenePath, pixels: 64 };
  const result = await session.callTool(tool.name, args);
  const { contents } = await session.readResource(String(fromListed(tool).app?.resourceUri));
  const { text } = contents[0] as { readonly text: string };
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const html = text.replace('<head>', `<head>${meta}`);

  const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  const started = { page, heard: [], troubles: [], answer: undefined } as unknown as Started;
  page.on('pageerror', ({ message }) => started.troubles.push(message));
  page.on('console', (said) => {
    if (said.type() === 'error' || said.type() === 'warning') started.troubles.push(said.text());
  });
  page.on('request', (request) => {
    if (!/^(?:data|about|blob):/.test(request.url())) started.troubles.push(request.url());
  });
  await page.exposeFunction('heard', (method: string, params: Record<string, unknown>) => {
    started.heard.push({ method, params });
  });
  await page.exposeFunction('ask', (_method: string, params: Record<string, unknown>) => {
    const { answer } = started;
    started.answer = undefined;
    const asked = params['arguments'] as Record<string, unknown>;
    return answer ?? session.callTool(String(params['name']), asked);
  });
  const sandboxed = '<iframe sandbox="allow-scripts" style="width:800px;height:300px"></iframe>';
  await page.setContent(`<!doctype html><title>Host</title>${sandboxed}`);
  await page.addScriptTag({ content: await scriptOf(host) });
  await page.evaluate((given) => (globalThis as never as Host).start(given), {
    html,
    tool,
    args,
    result,
  });
  const element = await page.locator('iframe').elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error('the frame is there');
  return Object.assign(started, { frame });
}

/** What both hosts offer to the test. */
interface Host {
  start(given: object): unknown;
  change(context: object): unknown;
  end(): Promise<unknown>;
}

describe.skipIf(!hasBrowser)('In a browser, the app of the picture', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    return () => browser.close();
  });

  test.each([
    ['our-host.mjs', 'through'],
    ['official-host.mjs', 'direct'],
  ] as const)('zooms, moves and selects nodes, in %s, %s', async (host, way) => {
    const started = await shown(browser, host, way);
    const { page, frame, heard, troubles } = started;
    const params = (method: string): unknown =>
      heard.findLast((one) => one.method === method)?.params;
    const status = frame.getByRole('status');
    const picture = frame.getByRole('application');
    const scale = async (): Promise<number> => Number(await picture.getAttribute('data-scale'));
    const moved = (): Promise<string> =>
      frame.locator('.sheet').evaluate((one) => one.style.transform);
    await frame.locator('.sheet > svg').waitFor();
    await expect.poll(() => status.textContent()).toBe(scenePath);
    const name = way === 'through' ? 'mine__get_scene_picture' : 'get_scene_picture';
    expect(params('tools/call')).toMatchObject({ name, arguments: { scenePath, format: 'svg' } });
    // As wide as the host lets it be, and as high as the picture is then.
    const size = { width: 800, height: expect.closeTo((800 * 640) / 960 + 32, -1) as number };
    await expect.poll(() => params('ui/notifications/size-changed')).toEqual(size);

    const title = frame
      .locator('.sheet g', { has: frame.locator(':scope > title', { hasText: /^Canvas\/Title$/ }) })
      .last();
    const box = await title.boundingBox();
    if (box === null) throw new Error('the title is drawn');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.click(x, y);
    await expect.poll(() => status.textContent()).toBe(`${scenePath}: Canvas/Title`);
    const structuredContent = { scenePath, selectedNode: 'Canvas/Title' };
    await expect.poll(() => params('ui/update-model-context')).toMatchObject({ structuredContent });
    const marker = await frame.locator('.marker').boundingBox();
    expect(marker?.width).toBeCloseTo(box.width, -1);

    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -300);
    await expect.poll(scale).toBeGreaterThan(2);
    const before = await moved();
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 30, { steps: 4 });
    await page.mouse.up();
    expect(await moved()).not.toBe(before);
    expect(await status.textContent()).toBe(`${scenePath}: Canvas/Title`);
    await frame.getByRole('button', { name: 'Fit' }).click();
    expect(await scale()).toBe(1);
    await picture.press('+');
    expect(await scale()).toBe(1.25);

    await frame.getByRole('button', { name: 'Ask' }).click();
    await expect.poll(() => JSON.stringify(params('ui/message'))).toContain('Canvas/Title');
    await page.evaluate((context) => (globalThis as never as Host).change(context), {
      theme: 'light',
    });
    const scheme = (): Promise<string> =>
      frame.locator('html').evaluate((one) => one.style.colorScheme);
    await expect.poll(scheme).toBe('light');

    // Whoever has written the picture, nothing in it runs.
    const evil =
      '<g onclick="top.x=1"><title>Evil</title><script>parent.postMessage("ran","*")</script><rect width="9" height="9"/></g>';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${evil}</svg>`;
    const data = { scenePath: 'assets/evil.scene', width: 9, height: 9, svg };
    started.answer = { content: [], structuredContent: { success: true, data } };
    await frame.getByRole('button', { name: '↻' }).click();
    await expect.poll(() => status.textContent()).toContain('assets/evil.scene');
    expect(await frame.locator('.sheet script, .sheet [onclick]').count()).toBe(0);
    started.answer = { content: [{ type: 'text', text: 'No such scene' }], isError: true };
    await frame.getByRole('button', { name: '↻' }).click();
    await expect.poll(() => status.textContent()).toBe('No such scene');

    expect(await page.evaluate(() => (globalThis as never as Host).end())).toEqual({});
    expect(troubles).toEqual([]);
    await page.close();
  });
});

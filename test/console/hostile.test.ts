import { openSession } from 'mcp-kit/client';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { httpTarget } from 'mcp-kit/transport/http-client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { inMemory } from '../gateway/memory.ts';
import { sample } from '../support/scale.ts';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { openPage } from './opened-page.ts';
import { hostileTexts } from './hostile.ts';
import { openWatched } from './watched.ts';

/** A server of which everything that is text means harm. */
function hostileServer(texts: readonly string[]) {
  const tools = texts.map((text, at) =>
    tool({
      name: `tool_${at}`,
      title: text.slice(0, 200),
      description: text,
      input: {
        type: 'object',
        title: text,
        properties: { [text.slice(0, 60)]: { type: 'string', title: text, description: text } },
      },
      run: () => ({ content: [{ type: 'text', text }, htmlOf(text)] }),
    }),
  );
  return createServer({ name: 'hostile', version: '1', features: [toolSet(tools)] });
}

const htmlOf = (text: string) => ({
  type: 'resource' as const,
  resource: { uri: `ui://x/${encodeURIComponent(text.slice(0, 20))}`, mimeType: 'text/html', text },
});

const harm = `({
  ran: window.harmed,
  made: document.querySelectorAll('script:not([src="page.js"]), iframe, object, base, [onerror], [onload], a[href^="javascript"], form[action]').length,
  hidden: getComputedStyle(document.body).display,
  at: location.pathname,
})`;
const unharmed = { ran: undefined, made: 0, hidden: 'block', at: '/console/' };

async function expectUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(harm)).toEqual(unharmed);
}

describe.skipIf(!hasBrowser)('a server that means harm', () => {
  test('does none to who looks at it: what it says is text', async () => {
    const { tried } = sample(hostileTexts, 16);
    await using gateway = await openWatched({ hostile: inMemory(hostileServer(tried), 'hostile') });
    await using session = await openSession(httpTarget(gateway.url), {
      name: '<img src=x onerror="window.harmed = 1">',
    });
    for (const at of tried.keys()) await session.callTool(`hostile__tool_${at}`, {});
    await session.callTool('hostile__tool_0', { html: tried[0] });
    const browser = await openBrowser();
    try {
      const { page, troubles } = await openPage(browser, gateway.console.link());
      const row = page.getByRole('row').filter({ hasText: 'tool_0' }).first();
      await row.click();
      await page.locator('.messages .json').first().waitFor();
      await expectUnharmed(page);
      await page.getByRole('button', { name: 'Messages' }).click();
      await page.getByRole('grid').press('End');
      await expectUnharmed(page);
      await page.getByRole('link', { name: 'Servers' }).click();
      await page.getByRole('heading', { name: 'hostile' }).waitFor();
      await page.getByRole('link', { name: 'Try' }).click();
      for (const at of tried.keys()) {
        await page.locator('.side li button').nth(at).click();
        await page.getByRole('button', { name: /^Run/ }).click();
        await page.locator('.result .block, .result .json').first().waitFor();
        await expectUnharmed(page);
      }
      await page.getByRole('link', { name: 'Numbers' }).click();
      await page.getByRole('table').first().waitFor();
      await expectUnharmed(page);
      const own = troubles.filter((text) => !/status of 500/.test(text));
      expect(own).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test('keeps what somebody types, however they type it', async () => {
    await using gateway = await openWatched({ hostile: inMemory(hostileServer(['a']), 'hostile') });
    const browser = await openBrowser();
    try {
      const { page, troubles } = await openPage(browser, gateway.console.link());
      await page.getByRole('link', { name: 'Try' }).click();
      await page.locator('.side li button').first().click();
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      const content = page.locator('.cm-content');
      await content.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      const text = (): Promise<string[]> => page.locator('.cm-line').allTextContents();
      let typed = '';
      for (const [at, piece] of sample(hostileTexts, 20).tried.entries()) {
        // What is pasted is not completed: it stays as it is.
        const pasted = piece.replaceAll(/[^\x20-\x7E]/g, '').slice(0, 200);
        await page.keyboard.insertText(pasted);
        typed += pasted;
        if (at % 3 !== 0) continue;
        await page.getByRole('link', { name: at % 2 === 0 ? 'Live' : 'Numbers' }).click();
        await page.getByRole('link', { name: 'Try' }).click();
        await expect.poll(async () => (await text()).join('')).toBe(typed);
        await page.getByRole('button', { name: 'Form' }).click();
        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await content.click();
        await page.keyboard.press('Control+End');
      }
      await expect.poll(async () => (await text()).join('')).toBe(typed);
      expect(troubles.filter((said) => !/status of 500/.test(said))).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

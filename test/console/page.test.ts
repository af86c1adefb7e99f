import type { Browser, Page } from 'playwright-core';
import { openSession, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { announcementOf, requireBuild } from '../support/cli.ts';
import type { Child } from '../support/child-process.ts';
import { fixture, Project, samples } from '../support/project.ts';
import { oneIn, sample } from '../support/scale.ts';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { expectAccessible, openPage } from './opened-page.ts';

interface Announced {
  readonly url: string;
  readonly console: string;
}

let project: Project;
let child: Child;
let browser: Browser;
let host: Session;
let announced: Announced;

async function newLink(): Promise<string> {
  const { stdout } = await project.run('console', '--json');
  return (JSON.parse(stdout) as { link: string }).link;
}

const goTo = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name }).click();

describe.skipIf(!hasBrowser)('the page of a console', () => {
  beforeAll(async () => {
    requireBuild();
    const [command, ...args] = samples;
    const [other, ...rest] = fixture('odd');
    project = new Project({
      '.mcp.json': {
        mcpServers: {
          demo: { command, args },
          missing: { command: 'there-is-no-such-program' },
          odd: { command: other, args: rest },
        },
      },
    });
    child = project.start('up', '--console', '--port', '0', '--json', '--trust', '--yes-trust');
    announced = await announcementOf<Announced>(child);
    browser = await openBrowser();
    const client = { name: 'some-host', title: 'Some Host', version: '1' };
    host = await openSession(httpTarget(announced.url), client);
    await host.callTool('demo__find_text_matches', { text: 'to be or not to be', phrase: 'be' });
    await host.callTool('demo__find_text_matches', { text: 5 });
  });

  afterAll(async () => {
    await host?.close();
    await browser?.close();
    await child?.[Symbol.asyncDispose]();
    project?.[Symbol.dispose]();
  });

  test('shows calls as hosts make them, each with both wires and where its time went', async () => {
    const { page, troubles } = await openPage(browser, await newLink());
    const row = page.getByRole('row').filter({ hasText: 'find_text_matches' }).first();
    await expect.poll(() => row.textContent()).toContain('Some Host');
    await row.click();
    const detail = page.getByRole('complementary', { name: 'Details' });
    await detail.getByText('gateway ↔ server').first().waitFor();
    expect(await detail.locator('.messages > li').count()).toBe(4);
    expect(await detail.locator('.timeline button').count()).toBe(2);
    await detail.getByText('"to be or not to be"').first().waitFor();
    // What comes later is there without anybody asking.
    await host.callTool('demo__get_time_now', {});
    await page.getByRole('row').filter({ hasText: 'get_time_now' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => detail.count()).toBe(0);
    await page.getByRole('searchbox').fill('to be or not');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await expectAccessible(page);
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test('is used by keys alone', async () => {
    const { page } = await openPage(browser, await newLink());
    await page.getByRole('row').nth(1).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('complementary', { name: 'Details' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('3');
    await page.getByRole('heading', { name: 'Choose what to try' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('find text');
    await page.getByRole('button', { name: 'find_text_matches' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByLabel('phrase').waitFor();
    await page.context().close();
  });

  test('says how servers are, and what to do about them', async () => {
    const { page, troubles } = await openPage(browser, await newLink());
    await goTo(page, 'Servers');
    await page.getByRole('button', { name: 'missing' }).click();
    await page.getByText('Next step').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByText('What it does').click();
    await page.getByText('runs', { exact: true }).waitFor();
    await page.getByLabel('May this tool be called?').fill('find_text_matches');
    await page.getByRole('button', { name: 'Why' }).click();
    await page.getByText('allowed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Restart' }).click();
    await expect.poll(() => page.locator('.facts').textContent()).toMatch(/Restarts1/);
    await expectAccessible(page);
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test('lets people call a tool by a form or by JSON, and again what a host has called', async () => {
    const { page, troubles } = await openPage(browser, await newLink());
    await goTo(page, 'Try');
    await page.getByRole('button', { name: 'find_text_matches' }).click();
    await page.getByRole('textbox', { name: 'text' }).fill('a rose is a rose');
    await page.getByRole('textbox', { name: 'phrase' }).fill('rose');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Result' }).getByText('ok', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await page.locator('.cm-content').getByText('"a rose is a rose"').waitFor();
    await expectAccessible(page);
    await goTo(page, 'Live');
    await page.getByRole('row').filter({ hasText: 'to be or not to be' }).first().click();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('The result is the same.').waitFor();
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test('asks people what tools want to know, and passes the answer on', async () => {
    const { page } = await openPage(browser, await newLink());
    await goTo(page, 'Try');
    await page.getByRole('button', { name: 'create_text_greeting' }).click();
    await page.getByRole('button', { name: /^Run/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('textbox').first().fill('Ada');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('Ada').first().waitFor();
    await page.context().close();
  });

  test('adds up what was called', async () => {
    const { page } = await openPage(browser, await newLink());
    await goTo(page, 'Numbers');
    await page.getByRole('table', { name: 'By tool' }).getByText('find_text_matches').waitFor();
    await expectAccessible(page);
    await page.context().close();
  });

  oneIn(3)([
    ['dark', { colorScheme: 'dark' }, 'Live'],
    ['narrow', { viewport: { width: 390, height: 800 } }, 'Live'],
    ['Chinese', { locale: 'zh-CN' }, '实时'],
  ] as const)('is as good to use where it is %s', async (_, options, live) => {
    const { page, troubles } = await openPage(browser, await newLink(), options);
    await page.getByRole('row').nth(1).click();
    await page.locator('.detail .messages').waitFor();
    await expectAccessible(page);
    const names = await page.getByRole('navigation').getByRole('link').allTextContents();
    expect(names[0]).toBe(live);
    for (const at of sample([1, 2, 3], 3).tried) {
      await page.getByRole('navigation').getByRole('link').nth(at).click();
      await expectAccessible(page);
      const beyond = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate<number>(beyond)).toBeLessThanOrEqual(0);
    }
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test('says what to do where it was opened without a link', async () => {
    const { origin } = new URL(announced.console);
    const page = await browser.newPage();
    await page.goto(`${origin}/console/`);
    await page.getByText('mcpctl console').waitFor();
    await page.close();
  });
});

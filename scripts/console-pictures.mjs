// Takes the pictures of the console that the documentation shows, of a gateway that two hosts use: npm run console-pictures
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { main, prepare, root } from './prepare.mjs';

const folder = path.join(root, 'docs/images');
const command = path.join(root, 'packages/mcpctl/bin/mcpctl.js');

/** Starts the samples with a console; gives what it prints. */
async function startGateway() {
  const args = [
    command,
    'up',
    '--sample',
    '--console',
    '--port',
    '0',
    '--json',
    '--name',
    'samples',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...JSON.parse(line) };
}

/** What two hosts do: most of it works. */
async function useTools(url) {
  const { connect } = await import(
    pathToFileURL(path.join(root, 'packages/mcp-kit/dist/index.js')).href
  );
  const [one, other] = await Promise.all([
    connect(url, { name: 'claude-code', title: 'Claude Code', version: '2.1' }),
    connect(url, { name: 'cursor', title: 'Cursor', version: '3.2', era: 'legacy' }),
  ]);
  await Promise.all([one.listTools(), other.listTools()]);
  const play = { text: 'to be or not to be', phrase: 'be' };
  await one.callTool('cocos__get_project_info', {});
  await one.callTool('cocos__list_asset_files', {});
  await other.callTool('demo__find_text_matches', play);
  await one.callTool('cocos__get_scene_tree', { scenePath: 'assets/scenes/menu.scene' });
  await other.callTool('demo__get_text_statistics', { text: play.text });
  await other.callTool('demo__find_text_matches', { ...play, phrase: '' });
  await one.callTool('demo__execute_timer_countdown', { from: 4, stepMs: 120 });
  await other.request('tools/call', { name: 'demo__find_words' }).catch(() => undefined);
  await other.callTool('demo__find_text_matches', { text: 'a rose is a rose', phrase: 'rose' });
  return async () => {
    await Promise.all([one.close(), other.close()]);
  };
}

/** What is looked at in each picture, and how large. */
const pictures = {
  'console-live': { look: async (page) => page.getByRole('row', { name: /countdown/ }).click() },
  'console-dark': {
    colorScheme: 'dark',
    look: async (page) => page.getByRole('row', { name: /countdown/ }).click(),
  },
  'console-servers': { look: async (page) => page.goto(`${page.url().split('#')[0]}#servers`) },
  'console-try': {
    async look(page) {
      await page.getByRole('row', { name: /a rose is/ }).click();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      await page.getByRole('button', { name: /^Run/ }).click();
      await page.getByRole('region', { name: 'Result' }).waitFor();
      await page.getByRole('button', { name: 'Result', exact: true }).click();
    },
  },
  'console-numbers': { look: async (page) => page.goto(`${page.url().split('#')[0]}#numbers`) },
  'console-narrow': {
    viewport: { width: 400, height: 780 },
    look: async (page) => page.getByRole('row', { name: /countdown/ }).click(),
  },
};

async function take(browser, link, [name, { look, ...options }]) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 760 },
    locale: 'en-GB',
    ...options,
  });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('row').nth(3).waitFor();
  await look(page);
  // Fonts and what is fetched for the view are there then.
  await page.waitForLoadState('domcontentloaded');
  await page.waitForTimeout(700);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await context.close();
}

/** Another link for the next browser. */
async function nextLink(pid) {
  const child = spawn(process.execPath, [command, 'console', '--gateway', String(pid), '--json']);
  let text = '';
  for await (const piece of child.stdout) text += piece;
  return JSON.parse(text).link;
}

await main(async () => {
  await prepare({ dev: true });
  const { child, url } = await startGateway();
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  let leave;
  try {
    leave = await useTools(url);
    for (const picture of Object.entries(pictures)) {
      await take(browser, await nextLink(child.pid), picture);
    }
  } finally {
    await leave?.();
    await browser.close();
    child.kill('SIGTERM');
  }
});

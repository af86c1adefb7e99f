import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A page that was opened by a link, and what went wrong on it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, what the policy of the page has stopped, and requests that left this machine. */
  readonly troubles: string[];
}

/** Opens a link in a browser of its own: nothing of others is known there. */
export async function openPage(
  browser: Browser,
  link: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (said) => {
    if (said.type() === 'error' || said.type() === 'warning') troubles.push(said.text());
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isHere = hostname === '127.0.0.1' || protocol === 'data:' || protocol === 'blob:';
    if (!isHere) troubles.push(`left this machine: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(link);
  await page.locator('.access.in').waitFor();
  return { page, troubles };
}

interface AxeRun {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** Expects that nobody is kept from using the page as it is now, as far as a program can tell: WCAG 2.2, level AA. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const run = `axe.run({ runOnly: { type: 'tag', values: ${JSON.stringify(tags)} } })`;
  const { violations } = await page.evaluate<AxeRun>(run);
  const found = violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`),
  }));
  expect(found).toEqual([]);
}

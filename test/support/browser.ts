import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian puts it; elsewhere `CHROMIUM` says where it is. */
const program = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether there is a browser to try pages in; without one these tests are skipped. */
export const hasBrowser: boolean = existsSync(program);

/** Starts a browser that asks nobody anything by itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

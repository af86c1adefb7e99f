import { KitError, type MaybePromise } from '#base';
import { listenForCallback, type CallbackServer } from './callback-server.ts';
import type { BrowserLogin, DevicePrompt, Interaction } from './interaction.ts';
import { openBrowser, pageAddress } from './open-browser.ts';

/** How a person is sent to a browser, and comes back. */
interface BrowserInteractionOptions {
  /** Tells the person something, a line at a time. */
  readonly say: (line: string) => void;
  /** Opens the page; without it, the person is told the address, as over SSH. */
  readonly open?: ((url: URL) => MaybePromise<boolean>) | false | undefined;
  /**
   * Waits for the person to paste the address that their browser came back to; for where the browser is on another
   * machine. Resolves to undefined when they do not.
   */
  readonly pasted?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** How long a login may take; 5 minutes. */
  readonly timeoutMs?: number | undefined;
  /** The port to come back to, when only one is open; any otherwise. */
  readonly port?: number | undefined;
}

/** Logs in with the browser of the person, who comes back to an address on this machine, or pastes it. */
export function browserInteraction(options: BrowserInteractionOptions): Interaction {
  const { port } = options;
  const ours = port === undefined ? undefined : `http://127.0.0.1:${port}/callback`;
  return {
    begin: async ({ must, better }) => {
      const fixed = must ?? ours;
      return loginAt(
        fixed === undefined ? await listenAtBest(better) : await listenForCallback(fixed),
        options,
      );
    },
    device: ({ userCode, verificationUri, completeUri }: DevicePrompt) => {
      options.say(`Open ${pageAddress(completeUri ?? verificationUri)}`);
      options.say(`and enter the code ${userCode.replaceAll(/\p{Cc}/gu, '')}`);
    },
  };
}

/** At the address that the issuer knows already, unless that is taken. */
async function listenAtBest(better: string | undefined): Promise<CallbackServer> {
  if (better !== undefined) {
    try {
      return await listenForCallback(better);
    } catch {
      // Another address means another registration, which is no loss.
    }
  }
  return listenForCallback();
}

function loginAt(server: CallbackServer, options: BrowserInteractionOptions): BrowserLogin {
  const { timeoutMs = 5 * 60_000, say } = options;
  return {
    redirectUri: server.redirectUri,
    close: () => server.close(),
    visit: async (url, signal) => {
      const state = url.searchParams.get('state') ?? '';
      const over = new AbortController();
      const until = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
      const ways = [server.comeBack(state, { timeoutMs, signal: until })];
      if (options.pasted !== undefined) ways.push(pasteOf(options.pasted, until));
      // Whichever comes second is not waited for, and its failure is nobody's concern.
      for (const way of ways) way.catch(() => {});
      try {
        await show(url, options, say);
        return await Promise.race(ways);
      } finally {
        over.abort();
      }
    },
  };
}

async function show(
  url: URL,
  { open = openBrowser, pasted }: BrowserInteractionOptions,
  say: (line: string) => void,
): Promise<void> {
  const address = pageAddress(url);
  if (open !== false && (await open(url))) {
    say(`Your browser has opened. If it has not: ${address}`);
    return;
  }
  say(`Open this address in a browser: ${address}`);
  if (pasted === undefined) return;
  say('Then paste the address that the browser ends up at, even if it shows an error:');
}

async function pasteOf(
  pasted: NonNullable<BrowserInteractionOptions['pasted']>,
  signal: AbortSignal,
): Promise<URL> {
  const text = (await pasted(signal))?.trim();
  // Whoever does not paste may still come back.
  if (text === undefined) return new Promise(() => {});
  if (URL.canParse(text)) return new URL(text);
  throw new KitError('invalid_argument', 'what was pasted is not an address', {
    hint: 'Paste the whole line of the address bar, from http:// on.',
  });
}

import { silentLogger, stderrLogger, type Logger } from 'mcp-kit/base';
import type { Server } from 'mcp-kit/server';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { print, tell } from '../output.ts';
import type { Announcement } from '../serve/announce.ts';
import type { Ending } from '../serve/http.ts';
import { serveGroups, serveOptions } from '../serve/options.ts';
import { readSettings, type Place, type ServeSettings } from '../serve/settings.ts';
import { fired, within } from '../stop.ts';

/** Answers under way get one second from the transport; this is for what does not end even then. */
const endMs = 1500;
/** Requests under way when standard input ends get less: the other side has gone. */
const lingerMs = 500;

export const serve = defineCommand({
  scope: 'own',
  options: serveOptions,
  groups: serveGroups,
  examples: [
    { command: 'mcpctl serve', about: 'Serve over HTTP, and say how to reach it.' },
    { command: 'mcpctl serve --port 0 --json', about: 'Let a script learn the port.' },
    { command: 'mcpctl tools -- mcpctl serve --stdio', about: 'Look at the samples.' },
    {
      command: 'mcpctl lint -- mcpctl serve --stdio --governed',
      about: 'Try what works with governed tools.',
    },
  ],
  notes: ['The full story: docs/mcpctl.md and docs/operate.md'],
  async run({ values, stop }) {
    if (values['new-api-key'] !== undefined) {
      const { newApiKey } = await import('../serve/new-api-key.ts');
      print(await newApiKey(values['new-api-key'], values));
      return exitCodes.ok;
    }
    const settings = await readSettings(values);
    const logger = await loggerOf(settings);
    const { createSampleServer } = await import('../samples/server.ts');
    const server = createSampleServer({
      ...(values.governed
        ? (await import('../samples/notes.ts')).governedNotes()
        : { contract: settings.profile === 'v2' ? 'envelope' : 'plain' }),
      logger,
    });
    if (settings.place.kind === 'stdio') {
      const { serveStdio } = await import('mcp-kit/transport');
      if (process.stdin.isTTY && !values.quiet) {
        tell(
          'waiting for messages, one line of JSON each; a host would start this. Stop with Ctrl-C.',
        );
      }
      await serveStdio(server, { exit: false, signal: stop, lingerMs, logger });
      return exitCodes.ok;
    }
    const opened = await open(settings.place, { server, settings, logger });
    announce(settings, opened.announcement);
    await fired(stop);
    if (settings.announce === 'text') tell('stopping; press Ctrl-C again to end at once');
    server.close();
    // Whoever sends SIGTERM runs others that can take over; whoever types Ctrl-C waits.
    const gently = stop.reason === 'SIGTERM';
    await within(endMs + (gently ? opened.longestMs : 0), opened.close(gently));
    return exitCodes.ok;
  },
});

interface Served {
  readonly server: Server;
  readonly settings: ServeSettings;
  readonly logger: Logger;
}

async function open(place: Exclude<Place, { kind: 'stdio' }>, served: Served): Promise<Ending> {
  const { server, settings, logger } = served;
  if (place.kind === 'unix') {
    const { announceUnix } = await import('../serve/announce.ts');
    const { listenSocket } = await import('mcp-kit/transport');
    const listening = await listenSocket(server, place.path, { logger });
    const announcement = announceUnix(listening.address);
    return { announcement, longestMs: 0, close: () => listening.close() };
  }
  const { openHttp } = await import('../serve/http.ts');
  const { announceHttp } = await import('../serve/announce.ts');
  const { profile, logFormat, announce: how } = settings;
  const logsJson = logFormat === 'json';
  const logCalls = logsJson && ['debug', 'info'].includes(settings.logLevel);
  return openHttp(server, {
    settings: place.server,
    profile,
    logger,
    announce: announceHttp,
    logsJson,
    logCalls,
    warn: how !== 'nothing',
  });
}

async function loggerOf({ logLevel, logFormat }: ServeSettings): Promise<Logger> {
  if (logLevel === 'silent') return silentLogger;
  if (logFormat === 'text') return stderrLogger(logLevel);
  const { jsonLogger } = await import('mcp-kit/operate');
  return jsonLogger(logLevel);
}

function announce(settings: ServeSettings, { text, json }: Announcement): void {
  if (settings.announce === 'text') print(text);
  if (settings.announce === 'json') print(JSON.stringify(json));
}

import { silentLogger, stderrLogger, type Logger } from 'mcp-kit/base';
import type { Server } from 'mcp-kit/server';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { print, tell } from '../output.ts';
import type { Announcement } from '../serve/announce.ts';
import { readSettings, serveOptions, type Place, type ServeSettings } from '../serve/settings.ts';
import { fired, within } from '../stop.ts';

/** Answers under way get one second from the transport; this is for what does not end even then. */
const endMs = 1500;
/** Requests under way when standard input ends get less: the other side has gone. */
const lingerMs = 500;

export const serve = defineCommand({
  scope: 'own',
  options: serveOptions,
  examples: [
    { command: 'mcpctl serve', about: 'Serve over HTTP, and say how to reach it.' },
    { command: 'mcpctl serve --port 0 --json', about: 'Let a script learn the port.' },
    { command: 'mcpctl tools -- mcpctl serve --stdio', about: 'Look at the samples.' },
  ],
  notes: ['The full story: docs/mcpctl.md'],
  async run({ values, stop }) {
    const settings = readSettings(values);
    const logger = settings.logLevel === 'silent' ? silentLogger : stderrLogger(settings.logLevel);
    const { createSampleServer } = await import('../samples/server.ts');
    const server = createSampleServer({
      contract: settings.profile === 'v2' ? 'envelope' : 'plain',
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
    await within(endMs, opened.close());
    return exitCodes.ok;
  },
});

interface Served {
  readonly server: Server;
  readonly settings: ServeSettings;
  readonly logger: Logger;
}

interface Opened {
  readonly announcement: Announcement;
  close(): Promise<void>;
}

async function open(place: Exclude<Place, { kind: 'stdio' }>, served: Served): Promise<Opened> {
  const { server, settings, logger } = served;
  const { announceHttp, announceUnix } = await import('../serve/announce.ts');
  if (place.kind === 'unix') {
    const { listenSocket } = await import('mcp-kit/transport');
    const listening = await listenSocket(server, place.path, { logger });
    return { announcement: announceUnix(listening.address), close: () => listening.close() };
  }
  const { isLoopback, serveHttp } = await import('mcp-kit/transport/http');
  const { kind: _kind, ...http } = place;
  const listening = await serveHttp(server, { ...http, profile: settings.profile, logger });
  if (!isLoopback(place.host) && settings.announce !== 'nothing') {
    tell(`warning: whoever can reach ${place.host}:${listening.port} can call these tools`);
  }
  return { announcement: announceHttp(listening.url), close: () => listening.close() };
}

function announce(settings: ServeSettings, { text, json }: Announcement): void {
  if (settings.announce === 'text') print(text);
  if (settings.announce === 'json') print(JSON.stringify(json));
}

import path from 'node:path';
import { silentLogger } from 'mcp-kit/internal';
import { listenSocket, serveStdio } from 'mcp-kit/transport';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import { loggerOf } from '../../logs.ts';
import { print } from '../../output.ts';
import { announceHttp, announceUnix } from '../../serve/announce.ts';
import { endServed, type Served } from '../../serve/served.ts';
import { readServerSection } from '../../serve/server-section.ts';
import { noState } from '../../serve/state.ts';
import { fired } from '../../stop.ts';
import { mockOf } from '../../transcript/mock.ts';
import type { Recording, Transcript } from '../../transcript/recording.ts';
import { readTranscript } from '../../transcript/transcript.ts';

/** How long ending may take. */
const endMs = 1500;

export const mock = defineCommand({
  scope: 'config',
  positionals: [{ name: 'FILE', help: 'The recording.', files: true }],
  options: {
    server: {
      type: 'string',
      value: 'NAME',
      help: 'Which server, where the recording is of a gateway.',
    },
    port: {
      type: 'string',
      value: 'PORT',
      help: 'Serve over HTTP at this port; 0 picks a free one.',
    },
    unix: { type: 'string', value: 'PATH', help: 'Serve on a unix socket instead.' },
  },
  examples: [
    {
      command: 'mcpctl tools -- mcpctl mock github.jsonl',
      about: 'A server that needs no account.',
    },
    { command: 'mcpctl mock github.jsonl --port 0 --json', about: 'Over HTTP, for a test.' },
  ],
  notes: [
    'The same method with the same parameters gets the recorded answer, in the order of the recording; the last one is repeated.',
    'What was masked stands for anything. What was not recorded is an error that says what was.',
    'The full story: docs/transcripts.md',
  ],
  endsItself: true,
  async run({ args, values, globals, stop }) {
    const recording = recordingOf(await readTranscript(args.FILE), values.server);
    const service = mockOf(recording);
    const logger = globals.logLevel === 'silent' ? silentLogger : loggerOf(globals);
    if (values.port === undefined && values.unix === undefined) {
      await serveStdio(service, { exit: false, signal: stop, lingerMs: endMs, logger });
      return exitCodes.ok;
    }
    const served = await open();
    if (!globals.quiet) {
      print(globals.json ? JSON.stringify(served.announcement.json) : served.announcement.text);
    }
    await fired(stop);
    await endServed(served, stop, endMs);
    return exitCodes.ok;

    async function open(): Promise<Served> {
      const offer = { what: `${recording.calls.length} recorded calls`, name: 'mock', more: [] };
      if (values.unix !== undefined) {
        const listening = await listenSocket(service, path.resolve(values.unix), { logger });
        const announcement = announceUnix(listening.address, offer);
        return { announcement, longestMs: 0, close: () => listening.close() };
      }
      const { openHttp } = await import('../../serve/http.ts');
      return openHttp(service, {
        settings: await readServerSection({ port: values.port }),
        state: noState,
        logger,
        announce: (url) => announceHttp(url, offer),
        warn: !globals.quiet,
        logsJson: false,
        logCalls: false,
      });
    }
  },
});

/** The one recording that is meant. */
function recordingOf({ recordings }: Transcript, server: string | undefined): Recording {
  const names = recordings.map((one) => one.server ?? '(without a name)').join(', ');
  const [only, another] =
    server === undefined ? recordings : recordings.filter((one) => one.server === server);
  if (only !== undefined && another === undefined) return only;
  const what = only === undefined ? `no server ${server} in it` : 'it is of several servers';
  throw usageError(`the recording: ${what}`, `Name one with --server: ${names}`);
}

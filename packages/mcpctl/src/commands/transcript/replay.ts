import { usageError } from '../../args.ts';
import { defineCommand, type Invocation } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';
import type { Comparing } from '../../transcript/compare.ts';
import type { Recording, Transcript } from '../../transcript/recording.ts';
import { readTranscript } from '../../transcript/transcript.ts';
import { RecordedAnswers, replay as play, type Replayed } from '../../transcript/replay.ts';

export const replay = defineCommand({
  positionals: [
    { name: 'FILE', help: 'The recording.', files: true },
    {
      name: 'SERVERS',
      help: 'The servers to play it against; without, those that the recording names. One that is in no file goes after --.',
      optional: true,
      many: true,
    },
  ],
  options: {
    ignore: {
      type: 'string',
      multiple: true,
      value: 'PATH',
      help: "What may differ, such as 'result.content.*.text'; ** is any number of names. May be repeated.",
    },
    exact: { type: 'boolean', help: 'Times and ids within texts count as well.' },
  },
  examples: [
    { command: 'mcpctl replay github.jsonl github', about: 'Does it still answer like that?' },
    { command: 'mcpctl replay wire.jsonl --json -- node server.js', about: 'In a test.' },
  ],
  notes: [
    'Requests are made one after the other, in the order of the recording, in the era that was recorded unless --era says another.',
    'Questions of the server are answered as they were. Ids of messages, times and ids of the form of UUIDs are not compared.',
    'Requests with something masked in them are left out, and counted. It ends with 0 when nothing differs, with 1 when something does.',
    'The full story: docs/transcripts.md',
  ],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    const transcript = await readTranscript(args.FILE);
    const ignore = [...transcript.ignore, ...(values.ignore ?? [])];
    const comparing: Comparing = { ignore, exact: values.exact ?? false };
    const replayed: Replayed[] = [];
    for (const { server, recording } of pairs(transcript, args.SERVERS, globals)) {
      const one = await playAgainst(server, recording, { globals, stop, comparing });
      replayed.push(one);
      if (!globals.json) show(one, globals);
    }
    const found = replayed.reduce((sum, one) => sum + one.differences.length, 0);
    if (globals.json) printJson({ same: found === 0, servers: replayed });
    const calls = replayed.reduce((sum, one) => sum + one.calls, 0);
    const skipped = replayed.reduce((sum, one) => sum + one.skipped, 0);
    const left = skipped === 0 ? '' : `, ${skipped} left out because of what is masked`;
    sumUp(globals, `${count(calls, 'call')}, ${count(found, 'difference')}${left}`, startedMs);
    return found === 0 ? exitCodes.ok : exitCodes.failed;
  },
});

interface Pair {
  readonly server: string;
  readonly recording: Recording;
}

/** Which recording is played against which server. */
function pairs(
  { recordings }: Transcript,
  servers: readonly string[] = [],
  { target }: Globals,
): readonly Pair[] {
  const names = target === undefined ? servers : [target.name];
  const [only, another] = recordings;
  if (names.length === 0) {
    return recordings.map((recording) => {
      if (recording.server !== undefined) return { server: recording.server, recording };
      throw usageError('which server?', 'Name it after the file, or put its command after --.');
    });
  }
  return names.map((server) => {
    const recording =
      another === undefined ? only : recordings.find((one) => one.server === server);
    if (recording !== undefined) return { server, recording };
    const known = recordings.map((one) => one.server ?? '').join(', ');
    throw usageError(`the recording has no server ${server}`, `It has: ${known}`);
  });
}

async function playAgainst(
  server: string,
  recording: Recording,
  { globals, stop, comparing }: Pick<Invocation, 'globals' | 'stop'> & { comparing: Comparing },
): Promise<Replayed> {
  const answers = new RecordedAnswers();
  const era = globals.era === 'auto' ? recording.era : globals.era;
  const more = { inputs: answers.handlersFor(recording) };
  return withManager({ globals: { ...globals, era }, stop, server, more }, async ({ manager }) => {
    const session = await manager.server(server).connect({ signal: stop, forgive: true });
    return play(recording, session, { server, answers, comparing, stop });
  });
}

function show({ server, differences }: Replayed, globals: Globals): void {
  const { bold, green, red, cyan } = createStyle(globals);
  for (const { call, method, name, path, recorded, now } of differences) {
    const what = [server, call === 0 ? '' : `#${call}`, method, name ?? ''].filter(Boolean);
    print(`${bold(plainLine(what.join(' ')))} ${cyan(plainLine(path))}`);
    print(red(`- ${shown(recorded)}`));
    print(green(`+ ${shown(now)}`));
  }
}

const maxShown = 500;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '(nothing)';
  return plainLine(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}

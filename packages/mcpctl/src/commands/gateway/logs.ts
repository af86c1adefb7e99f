import { readNumber } from '../../arguments/number.ts';
import { defineCommand } from '../../command.ts';
import { gatewayOption, requireKnown, withRunning } from '../../control/client.ts';
import type { LogLine, LogNotice } from '../../control/protocol.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { print, printJson, tell } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';
import { fired } from '../../stop.ts';

export const logs = defineCommand({
  scope: 'config',
  positionals: [
    { name: 'SERVER', help: 'The server; without, those of all servers.', optional: true },
  ],
  options: {
    follow: { type: 'boolean', short: 'f', help: 'Go on with what comes, until Ctrl-C.' },
    lines: {
      type: 'string',
      short: 'n',
      value: 'N',
      help: 'How many of the last lines. Default: 50.',
    },
    ...gatewayOption,
  },
  examples: [
    { command: 'mcpctl logs', about: 'What the servers of the running gateway said last.' },
    { command: 'mcpctl logs github -f', about: 'What one says, as it says it.' },
  ],
  notes: [
    'Shown is what servers write to standard error, what they write instead of messages, and what became of them.',
    'The gateway keeps the last 2000 lines of each server, at most 512 KiB. Secrets are masked.',
    'With --json each line is a JSON object: at, server, from (stderr, output or state) and text.',
  ],
  async run({ args, values, globals, stop }) {
    const { SERVER: server } = args;
    const { follow = false, gateway } = values;
    const hint = 'Use a whole number from 0 on.';
    const lines = readNumber('--lines', values.lines ?? '50', { least: 0, most: 100_000, hint });
    const show = printer(globals);
    const hear = ({ method, params }: { method: string; params?: object | undefined }): void => {
      if (method !== 'log' || params === undefined) return;
      const { lines: more, left } = params as LogNotice;
      for (const line of more) show(line);
      if (left !== undefined)
        tell(`${left} lines came faster than they were read, and are left out`);
    };
    return withRunning(
      { ...globals, gateway },
      async (running) => {
        const known = running.status.servers.map(({ name }) => name);
        requireKnown(server, known);
        const { lines: last } = await running.ask('logs', { server, lines, follow }, stop);
        for (const line of last) show(line);
        if (follow) await Promise.race([fired(stop), running.closed]);
        return exitCodes.ok;
      },
      hear,
    );
  },
});

function printer(globals: Globals): (line: LogLine) => void {
  const { cyan, dim } = createStyle(globals);
  return (line) => {
    if (globals.json) return printJson(line);
    const when = new Date(line.at).toISOString().slice(11, 23);
    const from = line.from === 'stderr' ? '' : `${line.from}: `;
    print(`${dim(when)} ${cyan(plainLine(line.server))} ${from}${plainLine(line.text)}`);
  };
}

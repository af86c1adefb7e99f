import { readNumber } from '../../arguments/number.ts';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const ping = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to ask.' }],
  options: {
    count: { type: 'string', value: 'N', help: 'How often to ask. Default: 1.' },
  },
  examples: [
    { command: 'mcpctl ping demo', about: 'How long it takes to connect, and to answer.' },
    { command: 'mcpctl ping --count 5 --url https://example.com/mcp', about: 'Several times.' },
  ],
  async run({ args, values, globals, stop }) {
    const { SERVER: server } = args;
    const times = readNumber('--count', values.count ?? '1', {
      least: 1,
      most: maxCount,
      hint: `Use a number from 1 to ${maxCount}.`,
    });
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const connect = await timed(() => manager.server(server).connect({ signal: stop }));
      const session = connect.value;
      const { version, era } = session;
      const peer = session.server;
      if (!globals.json) {
        const who = peer === undefined ? server : `${server} (${peer.name} ${peer.version})`;
        print(plainLine(`${who}: connected in ${show(connect.ms)}, speaks ${version}`));
      }
      const answers: number[] = [];
      for (let turn = 0; turn < times; turn++) {
        const { ms } = await timed(() => session.ping({ signal: stop }));
        answers.push(round(ms));
        if (!globals.json) print(`answered in ${show(ms)}`);
      }
      if (globals.json) {
        printJson({
          server,
          ok: true,
          protocolVersion: version,
          era,
          serverInfo: peer,
          connectMs: round(connect.ms),
          pingMs: answers,
        });
      }
    });
  },
});

const maxCount = 10_000;

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedMs = performance.now();
  const value = await work();
  return { value, ms: performance.now() - startedMs };
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
const show = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

// The floor of a command line: node floor.mjs COMMAND ARGS… starts the server, asks for its tools and prints them.
import { spawn } from 'node:child_process';

const [, , command, ...args] = process.argv;
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const clientInfo = { name: 'floor', version: '1.0.0' };
const answers = {
  1() {
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/list', params: {} });
  },
  2({ result }) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    child.stdin.end();
  },
};

let text = '';
child.stdout.setEncoding('utf8').on('data', (piece) => {
  const lines = (text + piece).split('\n');
  text = lines.pop();
  for (const line of lines) {
    const answer = JSON.parse(line);
    answers[answer.id](answer);
  }
});
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
send({ id: 1, method: 'initialize', params });

// The floor of a bridge: messages are forwarded, and nothing of them is looked at but the id.
//   node floor.mjs http PORT COMMAND ARGS…   HTTP in front of a stdio server
//   node floor.mjs stdio URL ERA             stdio in front of an HTTP server; one era wants headers that say what is asked
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { readLines } from '../candidates/floor.mjs';
import { statelessEra } from '../lib/messages.mjs';

function serveHttp(port, [command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let lastId = 0;
  readLines(child.stdout, (line) => {
    const answer = JSON.parse(line);
    const { id, response } = waiting.get(answer.id);
    waiting.delete(answer.id);
    const text = JSON.stringify({ ...answer, id });
    // What is not needed again is not remembered: the first answer is the one to initialize.
    const session = answer.id === 1 ? { 'mcp-session-id': randomUUID() } : undefined;
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...session,
    });
    response.end(text);
  });
  const server = http.createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      lastId += 1;
      waiting.set(lastId, { id: message.id, response });
      message.id = lastId;
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  });
  server.listen(Number(port), '127.0.0.1');
  process.once('SIGTERM', () => {
    child.kill();
    process.exit();
  });
}

function headersOf(line) {
  const { method, params } = JSON.parse(line);
  return {
    'mcp-protocol-version': statelessEra,
    'mcp-method': method,
    ...(params.name && { 'mcp-name': params.name }),
  };
}

function serveStdio(url, era) {
  const agent = new http.Agent({ keepAlive: true });
  let session;
  readLines(process.stdin, (line) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(line),
      ...(era === statelessEra ? headersOf(line) : session),
    };
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      const id = response.headers['mcp-session-id'];
      if (id !== undefined) session = { 'mcp-session-id': id };
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200) process.stdout.write(`${Buffer.concat(chunks)}\n`);
      });
    });
    request.end(line);
  });
}

const [, , front, place, ...rest] = process.argv;
if (front === 'http') serveHttp(place, rest);
else serveStdio(place, rest[0]);

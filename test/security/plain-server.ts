import { chmodSync, writeFileSync } from 'node:fs';

/** A tool as the server of these tests lists it. */
export interface PlainTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export const echo: PlainTool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, how: { enum: ['loud', 'soft'] } },
    required: ['text'],
  },
};

/**
 * Writes a program that is a server of 2025-11-25 and needs nothing but Node. It reads its tools from a file each time
 * they are listed, so that they can change while the program stays the same.
 */
export function writePlainServer(program: string, toolsFile: string): void {
  const lines = [
    '#!/usr/bin/env node',
    "const { readFileSync } = require('node:fs');",
    "const lines = require('node:readline').createInterface({ input: process.stdin });",
    'const say = (id, rest) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));',
    'const answers = {',
    '  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} },',
    '    serverInfo: { name: "plain", version: "1" } }),',
    '  ping: () => ({}),',
    `  "tools/list": () => ({ tools: JSON.parse(readFileSync(${JSON.stringify(toolsFile)}, "utf8")) }),`,
    '  "tools/call": ({ arguments: args }) => ({ content: [{ type: "text", text: String(args.text) }] }),',
    '};',
    "lines.on('line', (line) => {",
    '  const { id, method, params } = JSON.parse(line);',
    '  if (id === undefined) return;',
    '  if (Object.hasOwn(answers, method)) say(id, { result: answers[method](params) });',
    '  else say(id, { error: { code: -32601, message: "Method not found" } });',
    '});',
    '',
  ];
  writeFileSync(program, lines.join('\n'));
  chmodSync(program, 0o755);
}

/** Writes the tools that the program lists. */
export function writeTools(toolsFile: string, tools: readonly unknown[]): void {
  writeFileSync(toolsFile, JSON.stringify(tools));
}

import { stat } from 'node:fs/promises';
import { isRecord, KitError } from 'mcp-kit/internal';
import type { ResourceContents } from 'mcp-kit/protocol';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, printJson, sumUp, writeOutput } from '../../output.ts';
import { contentText } from '../../show/item.ts';
import { folderAt, saveAs } from '../../show/save.ts';

export const read = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server that has the resource.' },
    { name: 'URI', help: 'The resource.' },
  ],
  options: {
    output: { type: 'string', value: 'PATH', help: 'Write to this file, or into this folder.' },
  },
  examples: [
    { command: 'mcpctl read files file:///notes.txt', about: 'Text, to standard output.' },
    { command: 'mcpctl read files file:///logo.png --output logo.png', about: 'Bytes, to a file.' },
  ],
  notes: ['Bytes are not written to a terminal.'],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server, URI: uri } = args;
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const result = await manager.server(server).readResource(uri, { signal: stop });
      const contents = result.contents.map((part) => wholePart(part, uri));
      if (values.output !== undefined) await save(contents, values.output);
      else if (!globals.json) show(contents);
      if (globals.json) printJson(result);
      sumUp(globals, count(contents.length, 'part'), startedMs);
    });
  },
});

/** A part with text, or with bytes in their letters; servers send other things as well. */
function wholePart(part: unknown, uri: string): ResourceContents {
  const { text, blob, mimeType, uri: own } = isRecord(part) ? part : {};
  const about = {
    uri: typeof own === 'string' ? own : uri,
    mimeType: typeof mimeType === 'string' ? mimeType : undefined,
  };
  if (typeof text === 'string') return { ...about, text };
  if (typeof blob === 'string') return { ...about, blob };
  throw new KitError('invalid_answer', `${uri}: a part of the answer is neither text nor bytes`);
}

const bytesOf = ({ text, blob = '' }: ResourceContents): Buffer =>
  text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text);

function show(contents: readonly ResourceContents[]): void {
  for (const part of contents) {
    if (part.text === undefined && process.stdout.isTTY) {
      throw usageError(
        `${part.uri} is not text (${part.mimeType ?? 'of unknown type'})`,
        'Write it to a file: --output FILE',
      );
    }
    if (part.text === undefined) process.stdout.write(bytesOf(part));
    else writeOutput(endedLine(contentText(part.text)));
  }
}

/** A prompt that follows should begin on a line of its own; what goes into a file or pipe stays as it is. */
function endedLine(text: string): string {
  return process.stdout.isTTY && !text.endsWith('\n') ? `${text}\n` : text;
}

async function save(contents: readonly ResourceContents[], output: string): Promise<void> {
  const isFolder = await stat(output).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const [first, ...more] = contents;
  if (!isFolder && first !== undefined && more.length === 0) {
    await saveAs(output, bytesOf(first));
    return;
  }
  const folder = folderAt(output);
  for (const part of contents) {
    const mimeType = part.mimeType ?? 'application/octet-stream';
    await folder.save(bytesOf(part), { kind: 'resource', mimeType, name: part.uri });
  }
}

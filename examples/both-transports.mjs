// One server, two doors at once: stdio for the process that started it, HTTP for everybody on this machine.
// The schemas are zod's; any Standard Schema library that can give JSON Schema does.
import { createServer } from 'mcp-kit/server';
import { defineTool, fail, toolSet } from 'mcp-kit/tools';
import { serveStdio } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { z } from 'zod';

const notes = new Map();

const setNoteText = defineTool({
  name: 'set_note_text',
  description: 'Keeps a note under a name.',
  annotations: { destructiveHint: false, idempotentHint: true },
  input: z.object({ name: z.string().min(1), text: z.string() }),
  run({ name, text }) {
    notes.set(name, text);
    return `Kept "${name}".`;
  },
});

const getNoteText = defineTool({
  name: 'get_note_text',
  description: 'Returns the note with this name.',
  annotations: { readOnlyHint: true },
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string(), text: z.string() }),
  run({ name }) {
    const text = notes.get(name);
    if (text === undefined) throw fail('E_NOT_FOUND', `There is no note "${name}".`);
    return { name, text };
  },
});

const server = createServer({
  name: 'notes',
  version: '1.0.0',
  features: [toolSet([setNoteText, getNoteText])],
});

const http = await serveHttp(server, { port: Number(process.env.PORT ?? 0) });
// Standard output belongs to the protocol.
console.error(`also at ${http.url}`);
await serveStdio(server);

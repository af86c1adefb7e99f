// One server, two doors at once: stdio for the process that started it, HTTP for everybody on this machine.
// The schemas are zod's; any Standard Schema library that can give JSON Schema does.
import { createServer, fail, serve, tool } from 'mcp-kit';
import { z } from 'zod';

const notes = new Map();

const setNoteText = tool({
  name: 'set_note_text',
  description: 'Keeps a note under a name.',
  annotations: { destructiveHint: false, idempotentHint: true },
  input: z.object({ name: z.string().min(1), text: z.string() }),
  run({ name, text }) {
    notes.set(name, text);
    return `Kept "${name}".`;
  },
});

const getNoteText = tool({
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

const tools = [setNoteText, getNoteText];
const server = createServer({ name: 'notes', version: '1.0.0', tools });

const http = await serve(server, { http: Number(process.env.PORT ?? 0) });
// Standard output belongs to the protocol.
console.error(`also at ${http.url}`);
await serve(server);

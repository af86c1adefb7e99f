// Stands before an endpoint where all names begin with that of their server, for a client that knows the server's own.
import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';

const named = new Set(['tools/call', 'prompts/get']);

/** Serves an endpoint at another address, with names that lack this beginning in both directions. */
export async function serveRenamed(url, beginning) {
  const { port: innerPort } = new URL(url);
  const answer = async (request, response) => {
    const { method, headers } = request;
    const body = renamedBody(await buffer(request), beginning);
    const host = headers.host?.replace(String(server.address().port), innerPort);
    const sent = { ...renamedHeaders(headers, beginning), host };
    if (body.length > 0) sent['content-length'] = body.length;
    const inner = http.request(url, { method, headers: sent });
    response.on('close', () => inner.destroy());
    inner.end(body);
    const [answered] = await once(inner, 'response');
    const { 'content-length': _length, ...kept } = answered.headers;
    response.writeHead(answered.statusCode, kept).flushHeaders();
    for await (const text of without(answered.setEncoding('utf8'), beginning)) response.write(text);
    response.end();
  };
  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: url.replace(`:${innerPort}`, `:${server.address().port}`), close };
}

function renamedHeaders(headers, beginning) {
  const name = headers['mcp-name'];
  if (name === undefined || !named.has(headers['mcp-method'])) return headers;
  return { ...headers, 'mcp-name': `${beginning}${name}` };
}

/** The message with the longer names; what has none stays as it is, to the byte. */
function renamedBody(body, beginning) {
  let message;
  try {
    message = JSON.parse(String(body));
  } catch {
    return body;
  }
  const params = message?.params;
  const holder = named.has(message?.method) ? params : params?.ref;
  if (typeof holder?.name !== 'string') return body;
  holder.name = `${beginning}${holder.name}`;
  return Buffer.from(JSON.stringify(message));
}

/** A text in parts without some characters, which may stand across parts. */
async function* without(parts, characters) {
  let held = '';
  for await (const part of parts) {
    const text = (held + part).replaceAll(characters, '');
    const begun = begunAtEnd(text, characters);
    held = text.slice(text.length - begun);
    yield text.slice(0, text.length - begun);
  }
  yield held;
}

/** How many of the first of these characters a text ends with. */
function begunAtEnd(text, characters) {
  for (let count = characters.length - 1; count > 0; count -= 1) {
    if (text.endsWith(characters.slice(0, count))) return count;
  }
  return 0;
}

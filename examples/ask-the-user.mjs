// A tool that asks before it acts, written once, shown with a client of each era.
// Prints what crosses the wire; exits with 1 when the two do not end alike.
import { createServer } from 'mcp-kit/server';
import { elicit, metaKeys } from 'mcp-kit/protocol';
import { fail, tool, toolSet } from 'mcp-kit/tools';
import { memoryPair, serveChannel } from 'mcp-kit/transport';
import { toFetchHandler } from 'mcp-kit/transport/http';

const deleteFileDraft = tool({
  name: 'delete_file_draft',
  description: 'Deletes a draft, after asking.',
  input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
  async run({ file }, context) {
    const { sure } = await context.ask({
      sure: elicit({
        message: `Delete ${file}?`,
        requestedSchema: {
          type: 'object',
          properties: { reason: { type: 'string', title: 'Why?' } },
          required: ['reason'],
        },
      }),
    });
    if (sure.action !== 'accept') throw fail('E_PRECONDITION_FAILED', 'The user said no.');
    return `Deleted ${file}: ${sure.content.reason}`;
  },
});

const server = createServer({
  name: 'ask-the-user',
  version: '1.0.0',
  features: [toolSet([deleteFileDraft])],
});

const call = { name: 'delete_file_draft', arguments: { file: 'notes.md' } };
const userSays = { action: 'accept', content: { reason: 'outdated' } };

/** Up to 2025-11-25 the server sends a request of its own while the call waits. */
function callLegacy() {
  const [client, other] = memoryPair();
  serveChannel(server, other);
  const send = (message) => client.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return new Promise((resolve) => {
    client.start({
      deaf: false,
      message(message) {
        if (message.method === 'elicitation/create') {
          console.log('2025-11-25 the server asks:', message.params.message);
          send({ id: message.id, result: userSays });
        } else if (message.id === 1) {
          send({ method: 'notifications/initialized' });
          send({ id: 2, method: 'tools/call', params: call });
        } else if (message.id === 2) {
          resolve(message.result.content[0].text);
          void client.close();
        }
      },
      malformed() {},
      skipped() {},
      lost() {},
      released() {},
      ended() {},
      closed() {},
    });
    const clientInfo = { name: 'example', version: '1.0.0' };
    const capabilities = { elicitation: {} };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
    });
  });
}

/** From 2026-07-28 on the answer itself is the question, and the client calls again with what the user said. */
async function callModern() {
  const handle = toFetchHandler(server);
  const post = async (id, more) => {
    const _meta = {
      [metaKeys.protocolVersion]: '2026-07-28',
      [metaKeys.clientCapabilities]: { elicitation: {} },
    };
    const params = { ...call, ...more, _meta };
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': call.name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    });
    return (await (await handle(request)).json()).result;
  };
  const question = await post(1);
  console.log('2026-07-28 the server asks:', question.inputRequests.sure.params.message);
  const { requestState } = question;
  const answer = await post(2, { inputResponses: { sure: userSays }, requestState });
  await handle.close();
  return answer.content[0].text;
}

const answers = [await callLegacy(), await callModern()];
console.log(answers[0]);
process.exitCode = answers[0] === answers[1] && answers[0].startsWith('Deleted') ? 0 : 1;

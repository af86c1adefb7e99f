// A page beside what a tool answers: hosts that know apps show it, for all others the answer says all by itself.
import { createServer, serve } from 'mcp-kit';
import { apps } from 'mcp-kit/server';
import { tool } from 'mcp-kit/tools';

// No network, and nothing but this file: the page asks its host for what it shows.
const html = `<!doctype html>
<title>Dice</title>
<p><output>…</output> <button>Again</button></p>
<script>
  const show = ({ structuredContent }) => {
    document.querySelector('output').textContent = structuredContent?.eyes ?? '?';
  };
  const waiting = new Map();
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(waiting.size, resolve);
    send({ id: waiting.size - 1, method, params });
  });
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return;
    if (data.method === 'ui/notifications/tool-result') show(data.params);
    else if (data.method === 'ui/resource-teardown') send({ id: data.id, result: {} });
    else if (data.method === undefined) waiting.get(data.id)?.(data.result);
  });
  document.querySelector('button').onclick = async () => {
    show((await ask('tools/call', { name: 'execute_dice_roll', arguments: {} })) ?? {});
  };
  const appInfo = { name: 'dice', version: '1.0.0' };
  const hello = { protocolVersion: '2026-01-26', appInfo, appCapabilities: {} };
  ask('ui/initialize', hello).then(() => send({ method: 'ui/notifications/initialized' }));
</script>`;

const roll = tool({
  name: 'execute_dice_roll',
  description: 'Rolls a die.',
  output: { type: 'object', properties: { eyes: { type: 'integer' } }, required: ['eyes'] },
  app: { resourceUri: 'ui://dice/die' },
  run: () => ({ eyes: 1 + Math.floor(6 * Math.random()) }),
});

await serve(
  createServer({
    name: 'dice',
    version: '1.0.0',
    tools: [roll],
    features: [apps([{ uri: 'ui://dice/die', name: 'die', html }])],
  }),
);

// Clients of three kinds, with what differs between them out of the way: the official ones of either generation, and ours.
import { openSession } from 'mcp-kit/client';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { loadSdkV1, loadSdkV2 } from '../interop/peers.mjs';

const info = { name: 'public-servers', version: '1.0.0' };
/** Takes any result as it is. */
const anything = {
  '~standard': { version: 1, vendor: 'mcp-kit', validate: (value) => ({ value }) },
};

/** Opens the official client of the first generation at a place, which is `{ command, args, env, cwd }` or `{ url }`. */
export async function openFirst(place, limits) {
  const { Client, ResultSchema, ...sdk } = loadSdkV1();
  const client = new Client(info, { capabilities: {} });
  return opened(client, sdk, {
    place,
    limits,
    era: () => 'legacy',
    ask: (method, params) =>
      client.request({ method, params }, ResultSchema, { timeout: limits.askMs }),
    call: (params) => client.callTool(params, undefined, { timeout: limits.askMs }),
  });
}

/** Opens the official client of the second generation, which finds out the era by itself unless `mode` says it. */
export async function openSecond(place, limits, mode = 'auto') {
  const { Client, ...sdk } = loadSdkV2();
  const client = new Client(info, {
    capabilities: {},
    versionNegotiation: { mode, probe: { timeoutMs: limits.openMs / 3 } },
  });
  return opened(client, sdk, {
    place,
    limits,
    era: () => client.getProtocolEra(),
    ask: (method, params) =>
      client.request({ method, params }, anything, { timeout: limits.askMs }),
    call: (params) => client.callTool(params, { timeout: limits.askMs }),
  });
}

async function opened(client, sdk, { place, limits, era, ask, call }) {
  let stderr = '';
  const transport = place.url
    ? new sdk.StreamableHTTPClientTransport(new URL(place.url))
    : new sdk.StdioClientTransport({ ...place, stderr: 'pipe' });
  transport.stderr?.on('data', (chunk) => (stderr = `${stderr}${chunk}`.slice(-4000)));
  Object.assign(client, { onerror() {} });
  try {
    await client.connect(transport, { timeout: limits.openMs });
  } catch (error) {
    await client.close().catch(() => {});
    return Promise.reject(Object.assign(error, { stderr }));
  }
  return {
    era: era(),
    facts: {
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    },
    ask,
    call,
    async close() {
      if (place.url) await transport.terminateSession?.().catch(() => {});
      await client.close();
    },
  };
}

/** Opens a session of ours. */
export async function openOurs(place, limits, era = 'auto') {
  let stderr = '';
  const onStderr = (text) => (stderr = `${stderr}${text}`.slice(-4000));
  const target = place.url ? httpTarget(place.url) : childTarget({ ...place, onStderr });
  const options = {
    clientInfo: info,
    capabilities: {},
    era,
    connectTimeoutMs: limits.openMs,
    timeoutMs: limits.askMs,
  };
  const session = await openSession(target, options).catch((error) => {
    return Promise.reject(Object.assign(error, { stderr }));
  });
  return {
    era: session.era,
    facts: {
      server: session.server,
      capabilities: session.capabilities,
      instructions: session.instructions,
    },
    ask: (method, params) => session.request(method, params),
    call: ({ name, arguments: args }) => session.callTool(name, args),
    close: () => session.close(),
  };
}

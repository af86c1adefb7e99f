// One client under test: its process, and the bare server that it calls.
import { ask, startClient, startHttpServer, stdioCommand, stop } from './processes.mjs';

/** What a client is to call: the floor's server, over HTTP or started by the client itself. */
export async function openTarget({ transport, era, mode = 'json' }) {
  if (transport === 'stdio') return { params: stdioCommand('floor', { era }), close: () => {} };
  const { child, url } = await startHttpServer('floor', { era, mode });
  return { params: { url }, close: () => stop(child) };
}

/** A client that is connected: `slice` has it call, `close` ends it and its server. */
export async function openClient({ candidate, transport, era, mode }, nodeArgs = []) {
  const target = await openTarget({ transport, era, mode });
  const child = startClient(candidate.name, { transport, era, ...target.params }, nodeArgs);
  const close = () => Promise.all([stop(child), target.close()]);
  try {
    await ask(child, 'connect');
  } catch (error) {
    await close();
    throw error;
  }
  const slice = (inFlight, seconds) => ask(child, 'run', { inFlight, seconds });
  return { child, slice, close };
}

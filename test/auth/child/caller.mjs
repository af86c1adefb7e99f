// Calls a server many times at once when told to: node caller.mjs URL CREDENTIALS-FILE CALLS
import { createAuthorizer, openCredentials } from 'mcp-kit/auth';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';

const [url, file, calls] = process.argv.slice(2);
const store = await openCredentials({ file, keychain: 'none' });
const auth = createAuthorizer({ server: url, name: 'guarded', store });
const session = await openSession(httpTarget(url, { auth }), { name: 'caller', version: '1' });
await session.callTool('read', {});
process.send('ready');
process.once('message', async () => {
  try {
    await Promise.all(Array.from({ length: Number(calls) }, () => session.callTool('read', {})));
    await session.close();
    process.send('done');
  } catch (error) {
    process.send(`failed: ${error.stack}`);
  }
  process.disconnect();
});

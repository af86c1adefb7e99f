import { toFetchHandler } from 'mcp-kit/transport/http';
import { server } from './tools.mjs';

export const runtime = 'nodejs';

const handle = toFetchHandler(server); // { allowedHosts: ['tools.example'] } where it is deployed
export { handle as DELETE, handle as GET, handle as POST };

import { isRecord, type Params } from '#jsonrpc';

/** The keys of `_meta` that the protocol itself defines. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The `_meta` of parameters or a result, where it is an object. */
export function metaOf(holder: Params | undefined): Params | undefined {
  const meta = holder?.['_meta'];
  return isRecord(meta) ? meta : undefined;
}

import { isId, type Connection, type Notification, type Vocabulary } from '#jsonrpc';
import { metaOf } from './envelope.ts';
import { namedBy } from './model/methods.ts';

/** How MCP says "cancelled" and "progress". Requests that open a conversation must not be cancelled. */
export const vocabulary: Vocabulary = {
  cancelled: (requestId, method, reason) =>
    method === 'initialize' || method === 'server/discover'
      ? undefined
      : { method: 'notifications/cancelled', params: { requestId, reason } },
  withProgressToken: (params, id) => ({
    ...params,
    _meta: { ...metaOf(params), progressToken: id },
  }),
  subject: (method, params) => {
    const name = params?.[namedBy.get(method) ?? ''];
    return typeof name === 'string' ? `${method} ${name.slice(0, shownName)}` : method;
  },
};

/** A URI may be as long as it likes. */
const shownName = 200;

/** Acts on the notifications that steer requests under way; false for any other. */
export function steer(
  connection: Pick<Connection, 'cancel' | 'progress'>,
  notification: Notification,
): boolean {
  const { method, params } = notification;
  if (method === 'notifications/cancelled') {
    const id = params?.['requestId'];
    if (isId(id)) connection.cancel(id, params?.['reason'] ?? 'cancelled by the peer');
    return true;
  }
  if (method === 'notifications/progress') {
    const token = params?.['progressToken'];
    if (isId(token) && params !== undefined) connection.progress(token, params);
    return true;
  }
  return false;
}

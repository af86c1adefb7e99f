import { conversationOf, isRecord, metaKeys, metaOf, type Exchange } from 'mcp-kit/internal';
import type { Peer } from './entry.ts';

/** Who sends messages: a conversation each or, where messages stand alone, each client by what it says of itself. */
export interface Peers {
  of(exchange: Exchange): Peer;
  /** Takes over what has become known of a client while it was served. */
  learn(exchange: Exchange): void;
}

/** Clients of messages that stand alone; whoever comes later than so many others counts as new. */
const maxAlone = 1000;

export function createPeers(): Peers {
  let count = 0;
  const fresh = (): Peer => ({ id: ++count, name: undefined, version: undefined });
  const byConversation = new WeakMap<object, Peer>();
  const alone = new Map<string, Peer>();
  const of = (exchange: Exchange): Peer => {
    const conversation = conversationOf(exchange);
    if (conversation !== undefined) {
      const known = byConversation.get(conversation);
      if (known !== undefined) return known;
      const peer = fresh();
      byConversation.set(conversation, peer);
      return peer;
    }
    const name = nameOf(metaOf(exchange.message.params)?.[metaKeys.clientInfo]) ?? '';
    const known = alone.get(name);
    if (known !== undefined) return known;
    if (alone.size >= maxAlone) alone.clear();
    const peer = fresh();
    alone.set(name, peer);
    return peer;
  };
  return {
    of(exchange) {
      const peer = of(exchange);
      const { params } = exchange.message;
      const meta = metaOf(params);
      peer.name ??= nameOf(params?.['clientInfo'] ?? meta?.[metaKeys.clientInfo]);
      peer.version ??= textOf(meta?.[metaKeys.protocolVersion]);
      return peer;
    },
    learn(exchange) {
      const peer = of(exchange);
      if (peer.version !== undefined && peer.name !== undefined) return;
      const { info, version } = Object(exchange.client) as { info?: unknown; version?: unknown };
      peer.name ??= nameOf(info);
      peer.version ??= textOf(version);
    },
  };
}

function nameOf(info: unknown): string | undefined {
  return isRecord(info) ? (textOf(info['title']) ?? textOf(info['name'])) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export { createBudget, type Budget } from '#base';
export { memoryPair } from './memory.ts';
export { serveChannel, type ServeOptions } from './serve-channel.ts';
export {
  listenLines,
  listenSocket,
  socketTarget,
  type Listening,
  type SocketOptions,
} from './socket.ts';
export { serveStdio, type StdioOptions } from './stdio.ts';
export { StreamChannel, type StreamChannelOptions } from './stream-channel.ts';

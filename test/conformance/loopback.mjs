// Loaded before a suite: what it serves to a client is served on loopback only.
import net from 'node:net';

const { listen } = net.Server.prototype;

/** Binds in the same turn, as scenarios read the port at once; naming a host would bind later. */
net.Server.prototype.listen = function (port, ...rest) {
  if (typeof port !== 'number' || typeof rest[0] === 'string') {
    return listen.call(this, port, ...rest);
  }
  const handle = net._createServerHandle('127.0.0.1', port, 4);
  if (typeof handle === 'number') throw new Error(`cannot listen on 127.0.0.1:${port}: ${handle}`);
  return listen.call(this, handle, ...rest);
};

// Loaded before a server (node --import): it listens on this machine only, and says on stderr at which port.
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  const told = rest.filter((argument) => typeof argument === 'function');
  this.once('listening', () => process.stderr.write(`at port ${this.address().port}\n`));
  return listen.call(this, Number(port), '127.0.0.1', ...told);
};

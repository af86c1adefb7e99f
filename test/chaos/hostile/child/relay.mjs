// A program whose standard input and output lead to a unix socket: node relay.mjs PATH. It talks on standard error, too.
import { connect } from 'node:net';

const socket = connect(process.argv[2]);
socket.on('error', () => process.exit(1)).on('close', () => process.exit(1));
process.stdin.pipe(socket);
socket.pipe(process.stdout);
process.stderr.write(`${'\u001b[2J no news '.repeat(2000)}\n`);

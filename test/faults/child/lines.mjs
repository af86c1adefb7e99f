// A server of lines in plain Node, single-threaded and blocking: it reads a line, and answers it before it reads the next.
import { readSync, writeSync } from 'node:fs';

/** Waits while the pipe is full or empty. */
function retrying(operate) {
  for (;;) {
    try {
      return operate();
    } catch (error) {
      if (error.code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      else if (error.code === 'EOF') return 0;
      else throw error;
    }
  }
}

function write(fd, bytes) {
  for (let at = 0; at < bytes.length;) at += retrying(() => writeSync(fd, bytes, at));
}

function* readLines() {
  const buffer = Buffer.alloc(1 << 16);
  let pieces = [];
  for (;;) {
    const length = retrying(() => readSync(0, buffer));
    if (length === 0) return;
    const chunk = Buffer.from(buffer.subarray(0, length));
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, end));
      yield Buffer.concat(pieces).toString();
      pieces = [];
      from = end + 1;
    }
    pieces.push(chunk.subarray(from));
  }
}

/** Made before anybody measures. */
let prepared = Buffer.alloc(0);

const methods = {
  prepare: ({ size }) => void (prepared = Buffer.alloc(size, 'x')),
  /** As many characters as asked for. */
  text: ({ size }) => 'x'.repeat(size),
  length: ({ text }) => text.length,
  complain: ({ size }) => write(2, Buffer.alloc(size, 'e')),
  pid: () => process.pid,
  exit: ({ code }) => process.exit(code),
};

for (const line of readLines()) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'prepared') {
    for (const bytes of [`{"jsonrpc":"2.0","id":${id},"result":"`, prepared, '"}\n']) {
      write(1, Buffer.from(bytes));
    }
    continue;
  }
  const result = methods[method]?.(params) ?? null;
  write(1, Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`));
}

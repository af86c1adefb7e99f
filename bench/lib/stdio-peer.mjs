// Load over stdin and stdout: keeps a number of requests under way with a server that speaks MCP in lines.
import { performance } from 'node:perf_hooks';
import {
  faultOf,
  firstId,
  initializedMessage,
  initializeMessage,
  statelessEra,
  workRequest,
} from './messages.mjs';
import { cpuSeconds, peakRssMiB, rssMiB, sumOf } from './proc.mjs';
import { stop } from './processes.mjs';
import { quantile } from './stats.mjs';

const idKey = Buffer.from('"id":');

/** The other end of a stdio server's pipes. */
export class StdioPeer {
  constructor(child, era) {
    this.child = child;
    this.era = era;
    this.parts = [];
    this.onLine = null;
    this.onTurn = null;
    child.stdin.on('error', () => {});
    this.ended = new Promise((_, reject) => {
      child.once('exit', (code, signal) => reject(new Error(`ended (${signal ?? code})`)));
      child.once('error', reject);
    });
    this.ended.catch(() => {});
    child.stdout.on('data', (chunk) => this.read(chunk));
  }

  read(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      let line = chunk.subarray(from, end);
      if (this.parts.length > 0) {
        line = Buffer.concat([...this.parts, line]);
        this.parts = [];
      }
      this.onLine?.(line);
      from = end + 1;
    }
    if (from < chunk.length) this.parts.push(chunk.subarray(from));
    this.onTurn?.();
  }

  // Resolves when `work` calls its first argument; fails with its second, with the process, or late.
  async until(seconds, what, work) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`${what}: not within ${seconds} s`)),
        seconds * 1000,
      );
    });
    try {
      return await Promise.race([new Promise(work), this.ended, late]);
    } finally {
      clearTimeout(timer);
      this.onLine = this.onTurn = null;
    }
  }

  /** One request and its answer; whatever the server says in between is skipped. */
  ask(message) {
    return this.until(20, message.method, (resolve) => {
      this.onLine = (line) => {
        const reply = JSON.parse(line);
        if (reply.id === message.id && reply.method === undefined) resolve(reply);
      };
      this.child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  }

  /** Opens the session; the modern era has none. */
  async initialize() {
    if (this.era === statelessEra) return;
    const { error } = await this.ask(initializeMessage(this.era));
    if (error) throw new Error(`initialize: ${error.message}`);
    this.child.stdin.write(`${JSON.stringify(initializedMessage)}\n`);
  }

  /** One call, checked in every part. */
  async probe() {
    const fault = faultOf(await this.ask(workRequest(this.era, 'call')), 'call');
    if (fault) throw new Error(fault);
  }

  /** `inFlight` calls under way for `seconds`; what one turn has to send goes out in one write. */
  async run({ what = 'call', inFlight, seconds, pids = [this.child.pid] }) {
    const { stdin } = this.child;
    const template = Buffer.from(`${JSON.stringify(workRequest(this.era, what))}\n`);
    const idAt = template.indexOf(`"id":${firstId}`) + 5;
    const sentAt = new Map();
    const latencies = [];
    const failures = {};
    let id = firstId;
    let batch = [];
    const enqueue = (now) => {
      const line = Buffer.from(template);
      line.latin1Write(String(++id), idAt);
      sentAt.set(id, now);
      batch.push(line);
    };
    const flush = () => {
      if (batch.length === 0) return;
      stdin.write(batch.length === 1 ? batch[0] : Buffer.concat(batch));
      batch = [];
    };
    const cpuBefore = sumOf(pids, cpuSeconds);
    const started = performance.now();
    const deadline = started + seconds * 1000;
    await this.until(seconds * 2 + 10, `${inFlight} in flight`, (resolve) => {
      this.onLine = (line) => {
        const at = line.indexOf(idKey);
        const answered = at < 0 ? NaN : Number(line.latin1Slice(at + 5, at + 14));
        const sent = sentAt.get(answered);
        if (sent === undefined) return; // a notification
        sentAt.delete(answered);
        const now = performance.now();
        latencies.push(now - sent);
        if (line.includes('"isError":true') || line.includes('"error":')) {
          failures['error result'] = (failures['error result'] ?? 0) + 1;
        }
        if (now < deadline) enqueue(now);
        else if (sentAt.size === 0) resolve();
      };
      this.onTurn = flush;
      for (let i = 0; i < inFlight; i++) enqueue(performance.now());
      flush();
    });
    const elapsed = (performance.now() - started) / 1000;
    return {
      cpu: ((sumOf(pids, cpuSeconds) - cpuBefore) / latencies.length) * 1e6,
      elapsedMs: elapsed * 1000,
      perSecond: latencies.length / elapsed,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      rss: sumOf(pids, rssMiB),
      failures,
    };
  }

  /** Has a line of `size` MiB echoed: how long there and back, and the memory it took. */
  async echo(size) {
    const lineOf = (length) =>
      JSON.stringify(workRequest(this.era, 'call', { message: 'x'.repeat(length) }));
    const length = size * 2 ** 20 - lineOf(0).length;
    const line = `${lineOf(length)}\n`;
    const started = performance.now();
    await this.until(6, `${size} MiB`, (resolve, reject) => {
      this.onLine = (reply) => {
        if (reply.length > length) return resolve();
        const text = reply.toString();
        if (/"error":|"isError":true/.test(text)) reject(new Error(text.slice(0, 160)));
      };
      this.child.stdin.write(line);
    });
    return { ms: performance.now() - started, peakRss: peakRssMiB(this.child.pid) };
  }

  stop() {
    return stop(this.child);
  }
}

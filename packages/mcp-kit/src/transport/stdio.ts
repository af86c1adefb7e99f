import { createDeferred, processBudget, stderrLogger } from '#base';
import type { Service } from '#protocol';
import { serveChannel, type ServeOptions } from './serve-channel.ts';
import { StreamChannel, type BorrowedOutput, type StreamChannelOptions } from './stream-channel.ts';

/** How the conversation over standard input and output is held. */
export interface StdioOptions
  extends Omit<ServeOptions, 'budget' | 'onClosed'>, StreamChannelOptions {
  /** End the process when standard input ends, whatever timers still run. On by default. */
  readonly exit?: boolean | undefined;
  /** Ends the conversation when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/** Serves the process that started this one; settles when it has gone. */
export async function serveStdio(service: Service, options: StdioOptions = {}): Promise<void> {
  const { exit = true, logger = stderrLogger(), signal, budget = processBudget() } = options;
  const closed = createDeferred<void>();
  const stdout = reserveStdout();
  const channel = new StreamChannel(process.stdin, process.stdout, {
    ...options,
    budget,
    borrowed: stdout,
  });
  const connection = serveChannel(service, channel, {
    ...options,
    budget,
    logger,
    onClosed: () => closed.resolve(),
  });
  const stop = (): void => void connection.close();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  await closed.promise;
  signal?.removeEventListener('abort', stop);
  await connection.close();
  stdout.release();
  if (exit) process.exit();
}

/** Keeps standard output for messages: whatever else prints there, a stray `console.log`, goes to standard error. */
function reserveStdout(): BorrowedOutput & { release(): void } {
  const { stdout, stderr } = process;
  const original = stdout.write;
  const write = original.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (data, done) => write(data, done),
    release() {
      stdout.write = original;
    },
  };
}

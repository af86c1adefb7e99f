import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Child } from './child-process.ts';
import { lastingPort } from './lasting-port.ts';

/** Any server that speaks as Redis does. */
const program = process.env['REDIS_SERVER'] ?? 'redis-server';

/** Whether this machine has it; without one its tests are skipped. */
export const hasRedis: boolean = spawnSync(program, ['--version']).status === 0;

/** A Redis server of its own, which keeps what it has in a folder over restarts. */
export class RedisServer implements AsyncDisposable {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  #child: Child | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async start(...options: readonly string[]): Promise<RedisServer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'redis-'));
    const server = new RedisServer(folder, await lastingPort());
    await server.start(...options);
    return server;
  }

  async start(...options: readonly string[]): Promise<void> {
    const place = ['--port', String(this.#port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const child = new Child(program, [...place, '--appendonly', 'yes', ...options]);
    this.#child = child;
    await child.until(() => child.stdout.includes('Ready to accept connections') || undefined);
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#child?.stop(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

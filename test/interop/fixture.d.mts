import type { Deferred } from 'mcp-kit/internal';
import type { Server, ServerOptions } from 'mcp-kit/server';
import type { HttpOptions } from 'mcp-kit/transport/http';

/** A call that waits: has begun, may go on, was cancelled. */
export interface Place {
  readonly begun: Deferred<void>;
  readonly letGo: Deferred<void>;
  readonly cancelled: Deferred<unknown>;
}

export interface Fixture {
  readonly server: Server;
  readonly waiting: { at(key: string): Place };
}

interface FixtureOptions {
  readonly caching?: ServerOptions['caching'];
}

export declare function createFixture(options?: FixtureOptions): Fixture;
export declare function createSmallServer(): Server;
export declare function serveFixtureHttp(
  options?: FixtureOptions & HttpOptions,
): Promise<Fixture & { readonly url: string; readonly port: number; close(): Promise<void> }>;
export declare function serveFixtureSocket(
  path: string,
): Promise<Fixture & { readonly path: string; close(): Promise<void> }>;

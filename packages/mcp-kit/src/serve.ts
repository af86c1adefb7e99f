import type { Service } from '#protocol';
import type { Listening, SocketOptions, StdioOptions } from '#transport';
import type { HttpListening, HttpOptions } from '#transport/http';

/** Serves over standard input and output, by default; settles when the input has ended. */
export function serve(server: Service, options?: StdioOptions): Promise<void>;
/** Serves over HTTP, at a port or as the options say. */
export function serve(
  server: Service,
  options: { readonly http: number | HttpOptions },
): Promise<HttpListening>;
/** Serves lines over a unix socket at a path. */
export function serve(
  server: Service,
  options: SocketOptions & { readonly unix: string },
): Promise<Listening>;
export async function serve(
  server: Service,
  options:
    | StdioOptions
    | { readonly http: number | HttpOptions }
    | (SocketOptions & { readonly unix: string }) = {},
): Promise<void | HttpListening | Listening> {
  if ('http' in options) {
    const { serveHttp } = await import('#transport/http');
    const { http } = options;
    return serveHttp(server, typeof http === 'number' ? { port: http } : http);
  }
  const { listenSocket, serveStdio } = await import('#transport');
  if (!('unix' in options)) return serveStdio(server, options);
  const { unix, ...rest } = options;
  return listenSocket(server, unix, rest);
}

import path from 'node:path';
import { files, KitError } from 'mcp-kit/internal';
import type { HttpClientOptions } from 'mcp-kit/transport/http-client';
import type { HttpSettings } from '../config/entry.ts';
import type { ManagerOptions } from '../options.ts';

/** How servers that are trusted are reached, where their entries do not say. */
export type Network = Pick<ManagerOptions, 'proxy' | 'ca' | 'env'>;

/** The proxy and the certificates for a server that is trusted; `root` is where the name of a file starts. */
export async function routeOf(
  { proxy, caFile }: Pick<HttpSettings, 'proxy' | 'caFile'>,
  root: string,
  network: Network,
): Promise<Pick<HttpClientOptions, 'proxy' | 'ca'>> {
  const usual = network.proxy ?? network.env ?? process.env;
  return {
    proxy: proxy ?? (usual === false ? undefined : usual),
    ca: caFile === undefined ? network.ca : await readCertificates(path.resolve(root, caFile)),
  };
}

async function readCertificates(file: string): Promise<string> {
  try {
    return await files().readFile(file, 'utf8');
  } catch (cause) {
    throw new KitError('invalid_config', `the certificates in ${file} cannot be read`, { cause });
  }
}

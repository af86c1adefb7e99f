import { files, KitError } from '#base';
import type { TlsIdentity } from '#transport/http';

/** A certificate and its key, out of the files that hold them. */
export async function readTls(names: {
  readonly cert: string;
  readonly key: string;
}): Promise<TlsIdentity> {
  return { cert: await read(names.cert), key: await read(names.key) };
}

async function read(file: string): Promise<string> {
  try {
    return await files().readFile(file, 'utf8');
  } catch (cause) {
    throw new KitError('invalid_config', `tls: ${file} cannot be read`, {
      hint: 'Give PEM files that this user may read.',
      cause,
    });
  }
}

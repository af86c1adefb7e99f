import { readFileSync } from 'node:fs';

/** The version of this package. */
export function version(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  // Our own manifest has one.
  return (manifest as { readonly version: string }).version;
}

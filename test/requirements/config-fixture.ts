import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KitError } from 'mcp-kit/internal';
import { loadConfig, type LoadedConfig, type ServerEntry } from '@mcp-kit/host';

/** The sample files, one of every host. */
export const samples: string = path.resolve(import.meta.dirname, '../fixtures/config');

/** All sample files of a project and a user. */
export function loadSamples(): Promise<LoadedConfig> {
  const root = path.join(samples, 'project');
  return loadConfig({ root, home: path.join(samples, 'home'), env: {}, platform: 'linux' });
}

/** The entry of that name, which must be there. */
export function entryOf(loaded: Pick<LoadedConfig, 'entries'>, name: string): ServerEntry {
  const entry = loaded.entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  throw new Error(`no entry ${name} among ${loaded.entries.map((one) => one.name).join(', ')}`);
}

/** A folder that goes away with the block it is used in. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
  /** Writes a file, and the folders around it. */
  write(name: string, content: unknown): Promise<string>;
}

export async function temporaryFolder(): Promise<Folder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-config-'));
  return {
    path: folder,
    async write(name, content) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
      return file;
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What is wrong with one file, as its message without the file in front. */
export async function problemsOf(
  content: unknown,
  { name = 'mcp.json' }: { readonly name?: string } = {},
): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  const file = await folder.write(name, content);
  const { errors } = await loadConfig({ root: folder.path, files: [file] });
  for (const error of errors) {
    if (!(error instanceof KitError)) throw new TypeError('not a KitError');
    if (error.details?.['file'] !== file) throw new Error(`no file in ${error.message}`);
  }
  return errors.map(({ message }) => message.replace(file, ''));
}

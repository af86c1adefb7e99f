import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOf, KitError } from 'mcp-kit/internal';
import type { SkillContent } from './listed.ts';
import type { SkillRecord } from './records.ts';

/** What is in the folder of a skill now, by path; nothing where there is no such folder. */
export async function filesIn(
  folder: string,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const stats = await lstat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) throw notOurs(folder, 'it is a link or a file');
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join('/');
    if (!entry.isFile()) throw notOurs(folder, `${name} is not a plain file`);
    files.set(name, await readFile(file));
  }
  return files;
}

/** Refuses to touch a folder that is not exactly as it was written here. */
export function assertOurs(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  record: SkillRecord | undefined,
): void {
  if (record === undefined) throw notOurs(folder, 'it was not written by mcpctl');
  const names = Object.keys(record.files);
  const isSame =
    files.size === names.length &&
    names.every((name) => {
      const bytes = files.get(name);
      return bytes !== undefined && digestOf(bytes) === record.files[name];
    });
  if (!isSame) throw notOurs(folder, 'it has been changed since it was installed');
}

function notOurs(folder: string, why: string): KitError {
  return new KitError('invalid_config', `${folder} is left alone: ${why}`, {
    hint: 'Move it away yourself if it is not needed.',
  });
}

/** Puts a skill into its folder, whole: what reads the folder sees all of it, or what was there before. */
export async function putSkill(folder: string, contents: readonly SkillContent[]): Promise<void> {
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true });
  // Hosts read no folders that are hidden.
  const beside = await mkdtemp(path.join(parent, `.${path.basename(folder)}-`));
  const fresh = path.join(beside, 'new');
  const old = path.join(beside, 'old');
  try {
    for (const { path: name, bytes } of contents) {
      const file = path.join(fresh, ...name.split('/'));
      await mkdir(path.dirname(file), { recursive: true });
      // Nothing that comes from a server may be run as a program.
      await writeFile(file, bytes, { flag: 'wx', mode: 0o644 });
    }
    const had = await rename(folder, old).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    await rename(fresh, folder).catch(async (error: unknown) => {
      if (had) await rename(old, folder);
      throw error;
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** Takes the folder of a skill away, at once. */
export async function dropSkill(folder: string): Promise<void> {
  const beside = await mkdtemp(path.join(path.dirname(folder), `.${path.basename(folder)}-`));
  try {
    await rename(folder, path.join(beside, 'old'));
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

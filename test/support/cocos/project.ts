import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { printTable } from '@mcp-kit/cocos/document';
import { emptyScene } from './sample.ts';

/** Where a write is done when it is in memory: every edit is flushed to the disk, which few tests are about. */
export const inMemory: string = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A uuid that is the same for the same name. */
export function uuidFor(name: string): string {
  const hex = createHash('md5').update(name).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The meta of an asset, as the editor writes it. */
export function metaFor(name: string, importer: string, userData: object = {}): string {
  const meta = {
    ver: '1.0.0',
    importer,
    imported: true,
    uuid: uuidFor(name),
    files: [],
    subMetas: {},
    userData,
  };
  return `${JSON.stringify(meta, null, 2)}\n`;
}

/** A folder with files; undefined as content makes a folder. It is removed when disposed of. */
export class TestProject implements Disposable {
  readonly folder: string;

  constructor(files: Readonly<Record<string, string | undefined>> = {}, parent = inMemory) {
    this.folder = mkdtempSync(path.join(parent, 'cocos-'));
    this.write({ ...basicFiles(), ...files });
  }

  write(files: Readonly<Record<string, string | Uint8Array | undefined>>): void {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.folder, name);
      mkdirSync(content === undefined ? file : path.dirname(file), { recursive: true });
      if (content !== undefined) writeFileSync(file, content);
    }
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8');
  }

  /** Everything in the project but what is kept for undoing: folders end with a slash. */
  snapshot(): Record<string, string> {
    const found: Record<string, string> = {};
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(this.folder, file).replaceAll('\\', '/');
      if (name === 'local' || name.startsWith('local/')) continue;
      if (entry.isDirectory()) found[`${name}/`] = '';
      else found[name] = readFileSync(file).toString('base64');
    }
    return found;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A scene that can be opened. */
export const sceneText: string = printTable(emptyScene());

function basicFiles(): Record<string, string> {
  return {
    'package.json': JSON.stringify({
      name: 'game',
      uuid: uuidFor('game'),
      creator: { version: '3.8.6' },
    }),
    'assets/main.scene': sceneText,
    'assets/main.scene.meta': metaFor('main', 'scene'),
    'assets/data.meta': metaFor('data', 'directory'),
    'assets/data/a.json': '{}',
    'assets/data/a.json.meta': metaFor('a', 'json'),
  };
}

import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { openWorkspace, type Workspace } from '@mcp-kit/cocos/edit';
import { openProject, type Project } from '@mcp-kit/cocos/project';
import type { OwnEntry } from '@mcp-kit/cocos/document';
import { corpusFolder, type CorpusProject } from './corpus.ts';
import { inMemory } from './project.ts';

/** The folder of the sample project in the repository. */
export const sampleFolder: string = path.resolve(
  import.meta.dirname,
  '../../../packages/cocos/sample',
);

/** Copies a folder; what nobody may write there can be written here. */
function copyWritable(source: string, folder: string): void {
  cpSync(source, folder, { recursive: true });
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const place = path.join(folder, name);
    chmodSync(place, statSync(place).mode | 0o200);
  }
}

/** A copy of a project that may be broken at will; it is removed when disposed of. */
export class ProjectCopy implements Disposable {
  readonly folder: string;
  readonly #opened: Project[] = [];

  constructor(source: string = sampleFolder) {
    this.folder = mkdtempSync(path.join(inMemory, 'cocos-copy-'));
    copyWritable(source, this.folder);
  }

  /** A copy of a project of the corpus; that of the engine becomes the assets of an empty project. */
  static ofCorpus(name: CorpusProject): ProjectCopy {
    if (name !== 'engine-internal-db-3.8.5') return new ProjectCopy(corpusFolder(name));
    const copy = new ProjectCopy(sampleFolder);
    rmSync(path.join(copy.folder, 'assets'), { recursive: true });
    copyWritable(corpusFolder(name), path.join(copy.folder, 'assets'));
    return copy;
  }

  read(file: string): string {
    return readFileSync(path.join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.folder, file), text);
  }

  /** Changes the objects of a scene or prefab, whether they make sense then or not. */
  change(file: string, change: (objects: OwnEntry[]) => void): void {
    const objects = JSON.parse(this.read(file)) as OwnEntry[];
    change(objects);
    this.write(file, JSON.stringify(objects, null, 2));
  }

  /** The project as it is now. */
  async open(): Promise<Workspace> {
    const project = await openProject(this.folder);
    this.#opened.push(project);
    return openWorkspace(project);
  }

  [Symbol.dispose](): void {
    for (const project of this.#opened) project[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

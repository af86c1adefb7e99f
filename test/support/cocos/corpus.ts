import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../../../../shared/cocos-corpus');

/** Whether real projects of Cocos Creator lie beside the clone; what needs them is skipped without, visibly. */
export const hasCorpus: boolean = existsSync(folder);

/** What a test that needs them is called in addition. */
export const needsCorpus = '(needs ../shared/cocos-corpus)';

/** The real projects, by the names of their folders. */
export type CorpusProject =
  | 'xforge-3.8.3'
  | 'customsnake-3.8.6'
  | 'airplane-3.3'
  | 'engine-internal-db-3.8.5';

/** The files of the corpus whose names end in one of these, as paths below its folder. */
export function corpusFiles(...endings: readonly string[]): string[] {
  if (!hasCorpus) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .sort();
}

/** The text of a file of the corpus. */
export function readCorpus(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

/** The folder of a project of the corpus. */
export function corpusFolder(project: CorpusProject): string {
  return path.join(folder, project);
}

import { importerOf } from '#cocos/edit';
import type { Project, Transaction } from '#cocos/project';
import type { ProjectReading, TransactionReading } from './readings.ts';

const maxProblems = 20;

/** Describes a project. */
export function readProject(
  project: Project,
  {
    backend,
    currentDocument,
  }: Pick<ProjectReading, 'backend'> & { currentDocument: string | undefined },
): ProjectReading {
  const counts = { scenes: 0, prefabs: 0, scripts: 0, images: 0, assets: 0 };
  for (const importer of importersIn(project)) {
    if (importer === 'directory') continue;
    counts.assets++;
    if (importer === 'scene') counts.scenes++;
    if (importer === 'prefab') counts.prefabs++;
    if (importer === 'typescript' || importer === 'javascript') counts.scripts++;
    if (importer === 'image') counts.images++;
  }
  const { name, version, designResolution } = project.info;
  const { running, url } = project.editor();
  return {
    name,
    root: project.root,
    creatorVersion: version,
    designResolution,
    backend,
    editor: { running, url },
    currentDocument,
    counts,
    problems: [...project.problems()].slice(0, maxProblems),
  };
}

/** What makes each asset what it is; of those that no editor has seen, what will. */
function* importersIn(project: Project): Generator<string | undefined> {
  for (const { importer } of project.assets()) yield importer;
  const draft = project.draft();
  for (const path of project.unimported()) {
    yield draft.isFolder(path) ? 'directory' : importerOf(path)?.name;
  }
}

/** Describes a transaction. */
export function readTransaction({ id, label, at, files }: Transaction): TransactionReading {
  return { transactionId: id, label, at, files };
}

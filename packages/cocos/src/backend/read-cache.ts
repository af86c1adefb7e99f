import { CocosError, type Table } from '#cocos/document';
import { readDocument, type SceneDocument, type Workspace } from '#cocos/edit';
import { type Finding, type Memory, validateDocument } from '#cocos/validate';

/** How many documents stay open; a large one takes some ten megabytes. */
const maxKept = 4;

interface Kept {
  readonly document: SceneDocument;
  /** The files that it was made from. */
  readonly tables: ReadonlyMap<string, Table>;
}

/** Keeps documents open for reading for as long as none of their files changes. */
export class ReadCache {
  readonly #kept = new Map<string, Kept>();
  readonly #findings = new WeakMap<SceneDocument, readonly Finding[]>();
  /** What validating found of files, by path: the next time, it looks only at what changed. */
  readonly #memories = new Map<string, Memory>();

  /** The document of a path, URL or uuid; `workspace` must be a fresh one. */
  read(workspace: Workspace, reference: string): SceneDocument {
    const { draft } = workspace;
    const path = draft.asset(reference)?.path ?? draft.resolve(reference);
    const kept = this.#kept.get(path);
    this.#kept.delete(path);
    const document = kept !== undefined && isCurrent(kept, workspace) ? kept.document : undefined;
    const open = document ?? readDocument(workspace, path);
    this.#kept.set(
      path,
      kept?.document === open ? kept : { document: open, tables: tablesOf(open) },
    );
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
    return open;
  }

  /** What is not as it should be in a document; looked for once for as long as nothing changes. */
  validate(workspace: Workspace, reference: string): readonly Finding[] {
    const document = this.#open(workspace, reference);
    if (document === undefined) return validateDocument(workspace, reference);
    const known = this.#findings.get(document);
    const { path, view } = document;
    const memory = this.#memoryOf(path);
    const findings = known ?? validateDocument(workspace, path, { view, memory });
    this.#findings.set(document, findings);
    return findings;
  }

  #memoryOf(path: string): Memory {
    const memory = this.#memories.get(path) ?? {};
    this.#memories.delete(path);
    this.#memories.set(path, memory);
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > maxKept && oldest !== undefined) this.#memories.delete(oldest);
    return memory;
  }

  /** What cannot be opened is a finding as well. */
  #open(workspace: Workspace, reference: string): SceneDocument | undefined {
    try {
      return this.read(workspace, reference);
    } catch (error) {
      if (error instanceof CocosError) return undefined;
      throw error;
    }
  }

  /** Forgets documents that were written: what is read next is what they have become. */
  forget(paths: Iterable<string>): void {
    for (const path of paths) this.#kept.delete(path);
  }

  /** Forgets all: assets came or went, so that other prefabs may be meant. */
  clear(): void {
    this.#kept.clear();
  }
}

function tablesOf({ workspace: { draft } }: SceneDocument): Map<string, Table> {
  const paths = [...draft.seen().keys()].filter((path) => /\.(scene|prefab)$/.test(path));
  return new Map(paths.map((path) => [path, draft.table(path)]));
}

/** A table that did not change is the same object. */
function isCurrent({ document, tables }: Kept, { draft, scripts }: Workspace): boolean {
  if (document.workspace.scripts !== scripts) return false;
  return [...tables].every(([path, table]) => draft.exists(path) && draft.table(path) === table);
}

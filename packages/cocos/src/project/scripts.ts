import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  loadScriptReader,
  type ReadScript,
  ScriptCatalog,
  type ScriptFacts,
  type ScriptFile,
} from '#cocos/scripts';
import { stampOf, statOf } from './stamp.ts';

/** Where a script is; without a uuid where it has no meta yet. */
export interface ScriptPlace {
  readonly path: string;
  readonly uuid: string | undefined;
}

interface KnownScript {
  readonly stamp: string;
  readonly file: ScriptFile;
  /** It is where its path says, so that whoever watches its folder sees it change. */
  readonly isPlain: boolean;
}

/** The scripts of a project as they were when last looked at; each is read when something is asked of it, and again once it changed. */
export class Scripts {
  readonly #fileOf: (path: string) => string;
  readonly #root: string;
  /** Begun at once: it takes a while to load, and so does the first look at the assets. */
  readonly #reader: Promise<ReadScript> = loadScriptReader();
  readonly #known = new Map<string, KnownScript>();
  /** The folders in which something may have changed since, absolute; undefined: in any. */
  #changed: Set<string> | undefined;
  #catalog: ScriptCatalog | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(fileOf: (path: string) => string, root: string) {
    this.#fileOf = fileOf;
    this.#root = root;
    // Whoever asks for a catalog hears of it.
    this.#reader.catch(() => undefined);
  }

  /** Something may have changed anywhere. */
  changed(): void {
    this.#changed = undefined;
  }

  /** Something may have changed in a folder. */
  changedIn(folder: string): void {
    this.#changed?.add(folder);
  }

  /** The classes of the scripts at these places; one look after the other, so that each sees all that was before it. */
  catalog(places: () => Iterable<ScriptPlace>): Promise<ScriptCatalog> {
    const found = this.#looking.then(() => this.#look(places()));
    this.#looking = found.catch(() => this.changed());
    return found;
  }

  async #look(places: Iterable<ScriptPlace>): Promise<ScriptCatalog> {
    const read = await this.#reader;
    const changed = this.#changed;
    this.#changed = new Set();
    const files: ScriptFile[] = [];
    let isSame = this.#catalog !== undefined;
    for (const place of places) {
      const known = this.#known.get(place.path);
      const isSure = known?.isPlain === true && changed?.has(this.#folderOf(place)) === false;
      const script = isSure && known.file.uuid === place.uuid ? known : this.#lookAt(place, read);
      isSame &&= script === known;
      files.push(script.file);
    }
    if (this.#catalog !== undefined && isSame && files.length === this.#known.size) {
      return this.#catalog;
    }
    const present = new Set(files.map((file) => file.path));
    for (const name of this.#known.keys()) if (!present.has(name)) this.#known.delete(name);
    this.#catalog = new ScriptCatalog(files);
    return this.#catalog;
  }

  #folderOf({ path: name }: ScriptPlace): string {
    return path.dirname(path.join(this.#root, name));
  }

  /** What is known of a script where it has not changed, or else what is in its file. */
  #lookAt({ path: name, uuid }: ScriptPlace, read: ReadScript): KnownScript {
    const at = this.#fileOf(name);
    const stamp = stampOf(at) ?? '';
    const known = this.#known.get(name);
    if (known?.stamp === stamp && known.file.uuid === uuid) return known;
    let facts: ScriptFacts | undefined;
    const file = { uuid, path: name, facts: () => (facts ??= factsIn(at, read)) };
    const script = { stamp, file, isPlain: at === path.join(this.#root, name) };
    this.#known.set(name, script);
    return script;
  }
}

function factsIn(file: string, read: ReadScript): ScriptFacts {
  try {
    if (statOf(file) === undefined) throw new Error('its file is missing');
    if (stampOf(file) === undefined) throw new Error('it is no file');
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { classes: [], imports: [], enums: {}, problem };
  }
}

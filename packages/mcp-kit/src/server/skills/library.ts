import path from 'node:path';
import {
  digestOf,
  readFrontmatter,
  skillFileName,
  skillLimits,
  type Resource,
  type Skill,
} from '#protocol';
import { boundFault, childrenOf, entryOf, isUnder, parentOf, uriMaker } from './entries.ts';
import { mediaTypeOf } from './media-types.ts';
import { readFound, walk, type Fault, type FoundFile, type Tree } from './walk.ts';

/** A file that is served: where it was found, and what is promised of it. */
export interface ServedFile {
  readonly found: FoundFile;
  readonly digest: string;
  readonly mimeType: string;
}

/** What of a folder is served at one moment. */
export interface Library {
  /** By the URI of its `SKILL.md`. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly files: ReadonlyMap<string, ServedFile>;
  /** What is directly in each folder, by its URI. */
  readonly children: ReadonlyMap<string, readonly Resource[]>;
  /** What is not served, and why. */
  readonly faults: readonly Fault[];
  /** Every folder that was looked into. */
  readonly places: readonly string[];
}

export const emptyLibrary: Library = {
  skills: new Map(),
  files: new Map(),
  children: new Map(),
  faults: [],
  places: [],
};

/** What was read of a file, by its sign. */
export interface Read {
  readonly sign: string;
  readonly digest: string;
  /** Of a `SKILL.md`. */
  readonly said?: Awaited<ReturnType<typeof readFrontmatter>> | undefined;
}

/** How often a folder that goes on changing is looked at before what was found last counts. */
const maxLooks = 5;

/** A folder of skills, which is looked at again and again; only what has changed since is read. */
export class SkillFolder {
  readonly #root: string;
  #read: ReadonlyMap<string, Read> = new Map();
  /** What was served last. */
  #last: Library = emptyLibrary;

  constructor(root: string) {
    this.#root = path.resolve(root);
  }

  /** What is served now. Each digest is of bytes that were read whole; a folder that changes meanwhile is looked at again. */
  async look(): Promise<Library> {
    for (let looks = 1; ; looks += 1) {
      const before = this.#read;
      const tree = await walk(this.#root);
      const library = await this.#serve(tree);
      if (isSame(before, this.#read) || looks === maxLooks) {
        this.#last = library;
        return library;
      }
    }
  }

  /** Forgets what it knows of a file: it is not what was found. */
  forget({ path: name }: FoundFile): void {
    const kept = new Map(this.#read);
    kept.delete(name);
    this.#read = kept;
  }

  async #serve(tree: Tree): Promise<Library> {
    const homes = tree.files.filter(isSkillFile).map((file) => parentOf(file.path));
    const uriOf = uriMaker(homes.includes('') ? path.basename(this.#root) : undefined);
    const read = new Map<string, Read>();
    const faults: Fault[] = [];
    const skills = new Map<string, Skill>();
    const files = new Map<string, ServedFile>();
    for (const home of homes.sort()) {
      const own = tree.files.filter((file) => isUnder(home, file.path));
      const wrong = tree.faults.find((fault) => isUnder(home, fault.path));
      const bound = wrong === undefined ? boundFault(own) : `${wrong.path}: ${wrong.what}`;
      if (bound === undefined) await this.#readAll(own, read);
      const isWhole = bound !== undefined || own.every((file) => read.has(file.path));
      if (!isWhole && this.#isKept(uriOf(home), { skills, files })) continue;
      const made = bound ?? entryOf(home, { files: own, read, uriOf });
      if (typeof made === 'string') {
        faults.push({ path: home, what: made });
        continue;
      }
      skills.set(made.uri, made);
      for (const found of own) {
        const { digest = '' } = read.get(found.path) ?? {};
        files.set(uriOf(found.path), { found, digest, mimeType: mediaTypeOf(found.path) });
      }
    }
    this.#read = read;
    const elsewhere = tree.faults.filter(
      (fault) => !homes.some((home) => isUnder(home, fault.path)),
    );
    return {
      skills,
      files,
      children: childrenOf(tree.folders, { skills, files, uriOf }),
      faults: [...elsewhere, ...faults],
      places: tree.folders.map((folder) => path.join(this.#root, folder)),
    };
  }

  /** A skill that is being changed right now stays as it was served last, if it was. */
  #isKept(
    home: string,
    { skills, files }: { skills: Map<string, Skill>; files: Map<string, ServedFile> },
  ): boolean {
    const skill = this.#last.skills.get(`${home}/${skillFileName}`);
    if (skill === undefined || skill.resources === 'dynamic') return false;
    skills.set(skill.uri, skill);
    for (const { uri } of skill.resources) {
      const file = this.#last.files.get(uri);
      if (file !== undefined && !files.has(uri)) files.set(uri, file);
    }
    return true;
  }

  async #readAll(own: readonly FoundFile[], read: Map<string, Read>): Promise<void> {
    for (const file of own) {
      if (read.has(file.path)) continue;
      const known = this.#read.get(file.path);
      const isKnown = known?.sign === file.sign && !file.isFresh;
      const now = isKnown ? known : await readOne(file);
      if (now !== undefined) read.set(file.path, now);
    }
  }
}

const isSkillFile = ({ path: name }: FoundFile): boolean =>
  path.posix.basename(name) === skillFileName;

async function readOne(file: FoundFile): Promise<Read | undefined> {
  const bytes = await readFound(file, skillLimits.bytes);
  if (bytes === undefined) return undefined;
  const said = isSkillFile(file) ? await readFrontmatter(bytes) : undefined;
  return { sign: file.sign, digest: digestOf(bytes), said };
}

/** Whether two looks found the same bytes in the same files. */
function isSame(before: ReadonlyMap<string, Read>, after: ReadonlyMap<string, Read>): boolean {
  if (before.size !== after.size) return false;
  return [...after].every(([name, { sign, digest }]) => {
    const known = before.get(name);
    return known?.sign === sign && known.digest === digest;
  });
}

import { describeError, type Logger } from '#base';
import { RpcError, rpcErrors } from '#jsonrpc';
import { digestOf, skillLimits } from '#protocol';
import type { Changes } from '../feature.ts';
import { emptyLibrary, SkillFolder, type Library } from './library.ts';
import { readFound } from './walk.ts';
import { watchFolders } from './watch.ts';

/** What programs write in one go comes in several steps. */
const quietMs = 50;
/** A file that changes between being looked at and being read is looked at again, so often. */
const maxReads = 3;

/** The skills of a folder while they are served: what there is now, and who is told when it is something else. */
export class ServedSkills {
  library: Library = emptyLibrary;
  readonly #folder: SkillFolder;
  readonly #logger: Logger;
  readonly #watcher = watchFolders(() => this.#heard());
  /** Called when what is listed is something else. */
  readonly #changed: () => void;
  #clients: Changes | undefined;
  #isWatching = false;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(folder: string, { logger, changed }: { logger: Logger; changed: () => void }) {
    this.#folder = new SkillFolder(folder);
    this.#logger = logger;
    this.#changed = changed;
  }

  /** From now on these clients are told, also when nobody asks. */
  tell(clients: Changes, isWatching: boolean): void {
    this.#clients = clients;
    this.#isWatching = isWatching;
    if (isWatching) this.#heard();
  }

  /** Looks at the folder; whoever asks while that is under way waits for the next time: this one may have missed what they know of. */
  refresh(): Promise<void> {
    this.#next ??= this.#underWay
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#underWay = this.#look();
        return this.#underWay;
      });
    return this.#next;
  }

  /** The bytes of a file, if they are those that its digest is of; nothing where there is no such file. */
  async read(uri: string): Promise<Uint8Array | undefined> {
    if (!uri.startsWith('skill://')) return undefined;
    if (!this.library.files.has(uri)) await this.refresh();
    for (let reads = 1; reads <= maxReads; reads += 1) {
      const file = this.library.files.get(uri);
      if (file === undefined) return undefined;
      const bytes = await readFound(file.found, skillLimits.bytes);
      if (bytes !== undefined && file.digest === digestOf(bytes)) return bytes;
      this.#folder.forget(file.found);
      await this.refresh();
    }
    throw new RpcError(rpcErrors.internal, `${uri} is being changed: read it again`);
  }

  close(): void {
    this.#isWatching = false;
    clearTimeout(this.#timer);
    this.#watcher.close();
  }

  async #look(): Promise<void> {
    const before = this.library;
    this.library = await this.#folder.look();
    const { faults, places } = this.library;
    if (JSON.stringify(before.faults) !== JSON.stringify(faults)) {
      for (const { path, what } of faults) {
        this.#logger.warn('a skill is not served', { path, what });
      }
    }
    if (textOf(before) !== textOf(this.library)) this.#tellOf(before);
    // What was written before a folder was watched was not heard.
    if (this.#isWatching && this.#watcher.follow(places)) this.#heard();
  }

  #tellOf(before: Library): void {
    this.#changed();
    // Nobody has seen anything yet.
    if (before === emptyLibrary) return;
    for (const [uri, { digest }] of before.files) {
      if (this.library.files.get(uri)?.digest !== digest) this.#clients?.resourceUpdated(uri);
    }
    this.#clients?.listChanged('resources');
  }

  #heard(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.refresh().catch((error: unknown) => {
        this.#logger.warn('skills cannot be looked at', { error: describeError(error) });
      });
    }, quietMs).unref();
  }
}

function textOf({ skills }: Library): string {
  return JSON.stringify([...skills.values()]);
}

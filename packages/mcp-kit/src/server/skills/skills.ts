import { Buffer, isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import { KitError, silentLogger, type Logger } from '#base';
import type { Params } from '#jsonrpc';
import { invalidParams, skillsExtension, type Skill } from '#protocol';
import type { Feature } from '../feature.ts';
import { listMethod } from '../list.ts';
import { skillResource } from './entries.ts';
import type { Library } from './library.ts';
import { ServedSkills } from './served.ts';

/** Who is told of the skills of a folder. */
export interface SkillsOptions {
  /** Told which skills are not served, and why. */
  readonly logger?: Logger | undefined;
  /** Tell clients when files change, also when nobody asks; so by default. */
  readonly watch?: boolean | undefined;
}

/** A skill, or something in its folder, that is not served, and why. */
export interface SkillFault {
  /** From the folder of the skills. */
  readonly path: string;
  readonly what: string;
}

/** The skills of a folder as a server feature. */
export interface SkillSet extends Feature {
  /** Looks at the folder: what is served, and what is not. */
  look(): Promise<{ readonly skills: readonly Skill[]; readonly faults: readonly SkillFault[] }>;
  /** The bytes of a file that is served. */
  read(uri: string): Promise<Uint8Array | undefined>;
  /** Ends the watching. What is asked for is served all the same. */
  close(): void;
}

/** An entry may list 512 files. */
const pageSize = 50;

/**
 * Serves the skills of a folder: every folder in it that has a `SKILL.md`, at any depth. Each answer is of the files as they are
 * when it is asked for, and no digest is of other bytes than were read.
 */
export function skills(folder: string, options: SkillsOptions = {}): SkillSet {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new KitError('invalid_argument', `skills: there is no folder ${folder}`, {
      hint: 'Name the folder that has the folders of the skills.',
    });
  }
  const { logger = silentLogger, watch = true } = options;
  const served = new ServedSkills(folder, { logger, changed: () => list.forget() });
  const all = (): readonly Skill[] => [...served.library.skills.values()];
  const list = listMethod({ member: 'skills', items: all, show: (skill) => skill, pageSize });
  return {
    capabilities: {
      resources: { subscribe: true, listChanged: true },
      extensions: { [skillsExtension]: { directoryRead: true } },
    },
    methods: {
      'skills/list': (params, context) => served.refresh().then(() => list.handle(params, context)),
      'skills/get': ({ uri }) => served.refresh().then(() => entryAt(served.library, uri)),
      'resources/directory/read': (params) =>
        served.refresh().then(() => childrenAt(served.library, params)),
    },
    resources: {
      ready: () => served.refresh(),
      list: () => all().map(skillResource),
      async read(uri) {
        const bytes = await served.read(uri);
        const mimeType = served.library.files.get(uri)?.mimeType;
        return bytes && { contents: [{ uri, mimeType, ...contentOf(bytes) }] };
      },
    },
    attach: (clients) => served.tell(clients, watch),
    async look() {
      await served.refresh();
      return { skills: all(), faults: served.library.faults };
    },
    read: (uri) => served.read(uri),
    close: () => served.close(),
  };
}

function entryAt({ skills: entries }: Library, uri: unknown): object {
  const skill = typeof uri === 'string' ? entries.get(uri) : undefined;
  if (skill === undefined) throw invalidParams(`No skill is served at ${String(uri)}`);
  return { skill };
}

function childrenAt({ children }: Library, { uri, cursor }: Params): object {
  const resources = typeof uri === 'string' ? children.get(uri) : undefined;
  if (resources === undefined) throw invalidParams(`${String(uri)} is not a directory resource`);
  // No page has another one after it.
  if (cursor !== undefined) throw invalidParams('Invalid cursor');
  return { resources };
}

function contentOf(bytes: Uint8Array): { readonly text: string } | { readonly blob: string } {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(whole) ? { text: whole.toString() } : { blob: whole.toString('base64') };
}

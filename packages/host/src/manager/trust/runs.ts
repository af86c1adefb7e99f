import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { crypto, findProgram, isRecord } from 'mcp-kit/internal';
import { isInside, readConfigFile } from '../config/read-file.ts';
import { readCommandLine, type Subject } from './command-line.ts';
import { identifyFile, type FileIdentity, type Launch } from './executable.ts';

/** What an interpreter or another program that runs others' code would run. */
export interface Runs {
  /** The programs on the way to it, the outermost first. */
  readonly runners: readonly string[];
  /** The files that they read, by their place as it is written. */
  readonly files?: Readonly<Record<string, FileIdentity>> | undefined;
  readonly package?: { readonly spec: string; readonly integrity?: string | undefined } | undefined;
  readonly image?: { readonly name: string; readonly digest?: string | undefined } | undefined;
  /** What cannot be covered, in words. */
  readonly gaps: readonly string[];
}

/** What a launch would run, when its program runs others' code; `known` spares reading files that are still the same. */
export async function identifyRuns(launch: Launch, known?: Runs): Promise<Runs | undefined> {
  const { command, args } = launch;
  const { runners, subject, folder } = readCommandLine(command, args);
  if (runners.length === 0) return undefined;
  const from = path.resolve(launch.cwd, folder ?? '.');
  const found = await subjectOf(subject, { ...launch, cwd: from }, known);
  const upgrades = `${runners.join(' and ')}: another version does not ask again`;
  return { runners, ...found, gaps: [...found.gaps, upgrades] };
}

/** Whether a program that runs others' code is one of this machine: what is in the project comes from whoever wrote that. */
export function isOfMachine({ command, args, cwd }: Launch, file: string): boolean {
  const { runners } = readCommandLine(command, args);
  return runners.length > 0 && !isInside(cwd, file);
}

type Found = Omit<Runs, 'runners'>;

async function subjectOf(subject: Subject, launch: Launch, known?: Runs): Promise<Found> {
  switch (subject.kind) {
    case 'program': {
      const file = findProgram(subject.command, launch);
      const gaps = [`what ${subject.command} loads`];
      const files = await covered(file === undefined ? [] : [file], launch, known);
      return { files, gaps };
    }
    case 'files': {
      const places = await Promise.all(subject.files.map((some) => firstOf(some, launch.cwd)));
      const names = subject.files.map(([name = '']) => name);
      const missing = names.filter((_, at) => places[at]?.length === 0);
      const gaps = [
        ...missing.map((name) => `${name}: no such file in ${launch.cwd}`),
        `what ${names.at(-1)} imports or loads`,
      ];
      return { files: await covered(places.flat(), launch, known), gaps };
    }
    case 'package':
      return packageOf(subject, launch, known);
    case 'image':
      return imageOf(subject, launch);
    case 'text':
      return { gaps: ['what the program text in its arguments starts or loads'] };
    case 'unknown':
      return { gaps: ['what is run: its arguments do not tell'] };
  }
}

async function covered(
  places: readonly string[],
  { cwd }: Launch,
  known?: Runs,
): Promise<Runs['files']> {
  const files: Record<string, FileIdentity> = {};
  for (const place of places) {
    const before = known?.files?.[place];
    const identity = await identifyFile(path.resolve(cwd, place), before);
    if (identity !== undefined) files[place] = identity;
  }
  return Object.keys(files).length === 0 ? undefined : files;
}

/** The files that a place leads to, as interpreters look for them; none when there are none. */
async function firstOf(places: readonly string[], cwd: string): Promise<readonly string[]> {
  for (const place of places) {
    for (const name of ['', '.js', '.mjs', '.cjs', '.ts'].map((end) => place + end)) {
      const kind = kindOf(path.resolve(cwd, name));
      if (kind === 'file') return [name];
      if (kind === 'folder') return inFolder(name, cwd);
    }
  }
  return [];
}

async function inFolder(folder: string, cwd: string): Promise<readonly string[]> {
  const has = (name: string): boolean => kindOf(path.resolve(cwd, folder, name)) === 'file';
  const manifest = await readJson(path.resolve(cwd, folder, 'package.json'));
  const { main } = manifest ?? {};
  const entry = typeof main === 'string' ? main : 'index.js';
  const names = ['package.json', entry, `${entry}.js`, '__main__.py'];
  return names.filter(has).map((name) => path.join(folder, name));
}

function kindOf(file: string): 'file' | 'folder' | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile()) return 'file';
    return stats?.isDirectory() ? 'folder' : undefined;
  } catch {
    // Whatever is there, it cannot be run.
    return undefined;
  }
}

/** A version that is one, not a range or a tag. */
const exact = {
  npm: /^(?:@[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+[\w.+-]*$/,
  python: /(?:==|@)\d[\w.!+-]*$/,
};

async function packageOf(
  { of, spec }: Extract<Subject, { kind: 'package' }>,
  launch: Launch,
  known?: Runs,
): Promise<Found> {
  const local = of === 'npm' ? await inProject(spec, launch.cwd) : [];
  const files = await covered(local, launch, known);
  const integrity = of === 'npm' ? await npxIntegrity(spec, launch) : undefined;
  const isExact = exact[of].test(spec);
  const gaps = ['the packages that it depends on'];
  if (!isExact) {
    gaps.unshift(`${spec} is no exact version: each start may fetch another`);
  } else if (integrity === undefined && local.length === 0) {
    gaps.unshift(
      `the content of ${spec}: it is known once fetched, and only the version holds until then`,
    );
  }
  // Of a version that may be another one at each start the content is no promise.
  return { files, package: { spec, integrity: isExact ? integrity : undefined }, gaps };
}

/** A package that is installed in the project comes before those of the registry: its manifest and what that says to run. */
async function inProject(spec: string, cwd: string): Promise<readonly string[]> {
  const name = spec.replace(/(?<=.)@.*$/, '');
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const place = path.join(folder, 'node_modules', name);
    const manifest = await readJson(path.join(place, 'package.json'));
    if (manifest !== undefined) {
      const { bin } = manifest;
      const programs = isRecord(bin) ? Object.values(bin) : [bin];
      const entries = programs.filter((entry) => typeof entry === 'string');
      return ['package.json', ...entries].map((entry) => path.join(place, entry));
    }
    if (folder === path.dirname(folder)) return [];
  }
}

/** What npm has noted of a package that `npx` has fetched before. */
async function npxIntegrity(spec: string, { env }: Launch): Promise<string | undefined> {
  const { npm_config_cache: given, HOME, LOCALAPPDATA } = env;
  const home = process.platform === 'win32' ? LOCALAPPDATA : HOME;
  const usual = process.platform === 'win32' ? 'npm-cache' : '.npm';
  const cache = given ?? (home === undefined ? undefined : path.join(home, usual));
  if (cache === undefined) return undefined;
  const folder = crypto().createHash('sha512').update(spec).digest('hex').slice(0, 16);
  const lock = await readJson(path.join(cache, '_npx', folder, 'package-lock.json'));
  const packages = lock?.['packages'];
  const name = spec.replace(/(?<=.)@.*$/, '');
  const entry = isRecord(packages) ? packages[`node_modules/${name}`] : undefined;
  const integrity = isRecord(entry) ? entry['integrity'] : undefined;
  return typeof integrity === 'string' ? integrity : undefined;
}

async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const text = await readConfigFile(file, { follow: true });
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How long an engine may take to tell what it has. */
const engineMs = 5000;

async function imageOf(
  { image, engine }: Extract<Subject, { kind: 'image' }>,
  launch: Launch,
): Promise<Found> {
  const [, written] = /@(sha256:[0-9a-f]{64})$/.exec(image) ?? [];
  const digest = written ?? (await imageId(image, engine, launch));
  const isPulled = launch.args.some((arg) => /^--pull(?:=always)?$/.test(arg));
  const gaps: string[] = [];
  if (digest === undefined) {
    gaps.push(`the content of ${image}: the engine does not have it, or does not tell`);
  }
  if (isPulled && written === undefined) gaps.push(`${image}: each start may fetch another`);
  gaps.push('what the container is given: folders, sockets and the network');
  return { image: { name: image, digest }, gaps };
}

/** Which image the engine has under a name; undefined when it has none, or cannot be asked. */
async function imageId(image: string, engine: string, launch: Launch): Promise<string | undefined> {
  const file = findProgram(engine, launch);
  // One in the project is not started to be asked: whether it may be is what is being found out.
  if (file === undefined || isInside(launch.cwd, file)) return undefined;
  const args = ['image', 'inspect', '--format', '{{.Id}}', '--', image];
  const env = launch.env;
  return new Promise((resolve) => {
    execFile(file, args, { timeout: engineMs, env, cwd: launch.cwd }, (_, stdout) => {
      resolve(/^(?:sha256:)?[0-9a-f]{64}$/.exec(stdout.trim())?.[0]);
    });
  });
}

import path from 'node:path';
import { hideSecrets, type KitError } from 'mcp-kit/internal';
import { loadConfig, type LoadedConfig, type LoadOptions, type ServerEntry } from '@mcp-kit/host';
import {
  candidateFiles,
  isInside,
  readCommandLine,
  targetOf,
  type Subject,
} from '@mcp-kit/host/internal';
import { nearest, usageError } from './args.ts';
import { home, type Globals } from './globals.ts';
import { tell, warn } from './output.ts';
import { plainField } from './terminal/plain-text.ts';

/** Where configuration is looked for, going by the options. */
export function loadOptions({ root, configFile }: Globals): LoadOptions {
  const files = configFile === undefined ? undefined : [configFile];
  return { root, home: home(), env: process.env, files };
}

/** What the files say. What is wrong with them goes to standard error; a file that was named, or is the only one, must be right. */
export async function readConfig(globals: Globals, server?: string): Promise<LoadedConfig> {
  checkPlace(globals);
  const config = await loadConfig(loadOptions(globals));
  const [error, ...others] = config.errors;
  const isFatal = globals.configFile !== undefined || config.entries.length === 0;
  for (const { message } of isFatal ? others : config.errors) tell(message);
  if (isFatal && error !== undefined) throw error;
  for (const { file, pointer, message } of config.warnings) {
    if (!concerns(config, { file, pointer }, server)) continue;
    warn(globals, plainField(`warning: ${file}#${pointer}: ${message}`));
  }
  return config;
}

/** Whether a remark is about the server in question; without one, all are. */
function concerns(
  { entries }: LoadedConfig,
  at: { readonly file: string; readonly pointer: string },
  server: string | undefined,
): boolean {
  if (server === undefined) return true;
  const from = entries.find(({ name }) => name === server)?.provenance;
  return from !== undefined && from.file === at.file && at.pointer.startsWith(from.pointer);
}

/** Refuses a `--config` outside of the root, unless the user allows it. */
export function checkPlace(globals: Globals): void {
  const { configFile, root, allowConfigOutsideRoot } = globals;
  if (configFile === undefined || isInside(root, configFile)) return;
  if (allowConfigOutsideRoot) {
    warn(globals, `WARNING: --config points outside --root: ${configFile}`);
    return;
  }
  throw usageError(
    `--config must be within --root (pass --allow-config-outside-root to override): ${configFile}`,
    `The root is ${root}.`,
  );
}

/** The entry of a server; a name that is not there is a usage error that says what there is. */
export function entryOf(config: LoadedConfig, name: string, globals: Globals): ServerEntry {
  const found = config.entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  throw missingServer(name, config, globals);
}

/** Says that there is no such server, or none at all. */
export function missingServer(name: string, config: LoadedConfig, globals: Globals): KitError {
  return config.entries.length === 0
    ? noServers(globals, config)
    : unknownServer(name, config.entries);
}

/** Says that there is no such server, which one may be meant, and which there are. */
export function unknownServer(name: string, known: readonly { readonly name: string }[]): KitError {
  const names = [...new Set(known.map((one) => one.name))].sort();
  const near = nearest(name, names);
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  return usageError(`unknown mcp server: ${name}`, `${meant}There are: ${names.join(', ')}.`);
}

/** How many of the files that are looked for are named. */
const shownFiles = 6;

/** Why nothing can be done without a server: where was looked, and what to write there. */
export function noServers(globals: Globals, config: LoadedConfig): KitError {
  const { configFile, root } = globals;
  const [error] = config.errors;
  if (error !== undefined) return error;
  const example = 'mcpctl add NAME -- npx PACKAGE, or mcpctl add NAME URL';
  const otherwise = 'Without a file: mcpctl tools --url URL, or mcpctl tools -- npx PACKAGE';
  if (configFile !== undefined) {
    return usageError(`no servers in ${configFile}`, `Add one: ${example}\n${otherwise}`);
  }
  const surroundings = { root, home: home(), platform: process.platform, env: process.env };
  const files = candidateFiles(surroundings)
    .filter(({ scope }) => scope === 'project')
    .flatMap((candidate) => candidate.files.map((file) => path.relative(root, file)));
  const some = [...new Set(files)].slice(0, shownFiles).join(', ');
  return usageError(
    `no servers in ${root}, and none in the settings of your other programs`,
    `Looked for ${some}, … (all: mcpctl config files)\nAdd one: ${example}\n${otherwise}`,
  );
}

/** What a server is, in few words and without secrets. */
export function shownTarget(entry: ServerEntry, { showArgv }: Globals): string {
  const { transport } = entry;
  if (transport.kind !== 'stdio') return targetOf(entry);
  const { command, args } = transport;
  if (showArgv) return [command, ...args].join(' ');
  const what = subjectOf(readCommandLine(command, args).subject);
  return what === undefined ? command : `${path.basename(command)} ${what}`;
}

/** Which script, package or image an interpreter or the like runs; nothing where the program itself does. */
function subjectOf(subject: Subject): string | undefined {
  switch (subject.kind) {
    case 'files':
      return subject.files.at(-1)?.[0];
    case 'package':
      return hideSecrets(subject.spec, '…');
    case 'image':
      return subject.image;
    case 'program':
    case 'text':
    case 'unknown':
      return undefined;
  }
}

/** A file as its user would name it: below the project or the home folder, if it is. */
export function shownFile(file: string, { root }: Globals): string {
  const inRoot = path.relative(root, file);
  if (!inRoot.startsWith('..') && !path.isAbsolute(inRoot)) return inRoot;
  const inHome = path.relative(home(), file);
  return inHome.startsWith('..') || path.isAbsolute(inHome) ? file : path.join('~', inHome);
}

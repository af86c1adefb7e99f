import { isRecord } from 'mcp-kit/internal';
import type { LoadedConfig, ServerEntry } from '@mcp-kit/host';
import { createToolCache, targetOf, toolCachePath } from '@mcp-kit/host/internal';
import type { Tool } from 'mcp-kit/protocol';
import { readConfig } from '../config.ts';
import { readGlobals } from '../globals.ts';
import type { Candidate, Place } from './complete.ts';
import { shells } from './scripts.ts';

/** Fills a place from files alone: no server is started or asked. */
export async function fillPlace(place: Place): Promise<readonly Candidate[]> {
  const { name, filled, given } = place;
  switch (name) {
    case 'SHELL':
      return shells.map((word) => ({ word, about: '' }));
    case 'SERVER':
    case 'SERVERS':
    case 'NAME':
      return serversOf(await configOf(place), filled[name] ?? []);
    case 'ID':
      // Without an id, the first word is the server.
      if (!given.has('last') && !given.has('slow')) return [];
      return serversOf(await configOf(place), filled[name] ?? []);
    case 'TOOL':
      return (await toolsOf(place)).map(({ name: word, title, description }) => ({
        word,
        about: title ?? description ?? '',
      }));
    case 'NAME=VALUE':
      return argumentsOf(place);
    default:
      return [];
  }
}

function configOf({ where }: Place): Promise<LoadedConfig> {
  return readConfig(readGlobals({ ...where, quiet: true }, undefined));
}

function serversOf({ entries }: LoadedConfig, given: readonly string[]): readonly Candidate[] {
  return entries
    .filter(({ name }) => !given.includes(name))
    .map((entry) => ({ word: entry.name, about: aboutServer(entry) }));
}

function aboutServer(entry: ServerEntry): string {
  const { transport } = entry;
  return transport.kind === 'stdio' ? transport.command : targetOf(entry);
}

/** The tools that the server had when it was last used. */
async function toolsOf(place: Place): Promise<readonly Tool[]> {
  const { entries } = await configOf(place);
  const [server] = place.filled['SERVER'] ?? [];
  const entry = entries.find(({ name }) => name === server);
  if (entry === undefined) return [];
  return (await createToolCache(toolCachePath(process.env)).get(entry)) ?? [];
}

/** `name=` for each argument of the tool that is not given yet. */
async function argumentsOf(place: Place): Promise<readonly Candidate[]> {
  const [wanted] = place.filled['TOOL'] ?? [];
  const given = new Set(
    (place.filled[place.name] ?? []).map((word) => word.replace(/:?=[^]*$/, '')),
  );
  const tool = (await toolsOf(place)).find(({ name }) => name === wanted);
  const properties = tool?.inputSchema['properties'];
  if (!isRecord(properties)) return [];
  return Object.entries(properties)
    .filter(([name]) => !given.has(name))
    .map(([name, schema]) => ({ word: `${name}=`, about: describe(schema) }));
}

function describe(schema: unknown): string {
  if (!isRecord(schema)) return '';
  const { description, title, type } = schema;
  const [about] = [description, title, type].filter((text) => typeof text === 'string');
  return about ?? '';
}

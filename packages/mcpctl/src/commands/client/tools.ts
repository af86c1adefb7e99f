import type { Manager, ToolListing } from '@mcp-kit/host';
import type { Tool } from 'mcp-kit/protocol';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { gatewayOption, requireKnown, withRunning } from '../../control/client.ts';
import { exitCodeOf, exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { count, describeFailure, print, printJson, sumUp, tell } from '../../output.ts';
import { findTool } from '../../show/find.ts';
import { showItems } from '../../show/item.ts';
import { firstLine, toolSignature } from '../../show/signature.ts';
import { appLine, mentionOthers, showTool } from '../../show/tool.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';

export const tools = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server; without, every server is asked.', optional: true },
    { name: 'TOOL', help: 'Show all about this tool.', optional: true },
  ],
  options: {
    verbose: { type: 'boolean', help: 'Show all about every tool, with its schemas.' },
    running: {
      type: 'boolean',
      help: 'List what the running gateway offers, of SERVER or of all; no server is asked.',
    },
    ...gatewayOption,
  },
  examples: [
    { command: 'mcpctl tools', about: 'The tools of every server, asked at the same time.' },
    { command: 'mcpctl tools github', about: 'The tools of one server.' },
    { command: 'mcpctl tools github create_issue', about: 'What one tool takes and gives.' },
    { command: 'mcpctl tools -- npx some-server', about: 'Of a server that is in no file.' },
    { command: 'mcpctl tools --running', about: 'What the running gateway offers.' },
    { command: "mcpctl tools github --json | jq -r '.tools[].name'", about: 'In a script.' },
  ],
  notes: [
    'Tools that the configuration denies, or that changed since they were approved, are named on standard error.',
  ],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server, TOOL: wanted } = args;
    const verbose = values.verbose ?? false;
    const { running = values.gateway !== undefined, gateway } = values;
    if (running) {
      requireNoTarget(globals, wanted);
      const offered = await withRunning({ ...globals, gateway }, ({ status, ask }) => {
        requireKnown(
          server,
          status.servers.map(({ name }) => name),
        );
        return ask('tools', { server }, stop);
      });
      if (globals.json) printJson(offered);
      else show(offered.tools, { globals, verbose });
      sumUp(globals, count(offered.tools.length, 'tool'), startedMs);
      return exitCodes.ok;
    }
    return withManager({ globals, stop, server }, async ({ manager }) => {
      if (server === undefined) return listAll(manager, { globals, stop, verbose, startedMs });
      const listing = await manager.server(server).listTools({ signal: stop });
      if (wanted !== undefined) {
        const tool = findTool(listing, wanted, { server, target: globals.target });
        if (globals.json) printJson({ server, tool });
        else print(showTool(tool, globals));
        return exitCodes.ok;
      }
      if (globals.json) printJson({ server, ...listing });
      else show(listing.tools, { globals, verbose });
      mentionOthers(server, listing, globals);
      sumUp(globals, count(listing.tools.length, 'tool'), startedMs);
      return exitCodes.ok;
    });
  },
});

/** What a running gateway offers is known by its own names. */
function requireNoTarget({ target }: Globals, tool: string | undefined): void {
  if (target === undefined && tool === undefined) return;
  const what = target === undefined ? 'TOOL' : 'a server that is in no file';
  throw usageError(`--running and ${what} exclude each other`, 'Leave out one of them.');
}

interface ShowOptions {
  readonly globals: Globals;
  readonly verbose: boolean;
}

function show(list: readonly Tool[], { globals, verbose }: ShowOptions): void {
  if (list.length === 0) return;
  if (verbose) {
    print(list.map((tool) => showTool(tool, globals)).join('\n\n'));
    return;
  }
  const items = list.map((tool) => ({
    title: [toolSignature(tool), appMark(tool)].join(''),
    about: firstLine(tool.description ?? tool.title ?? tool.annotations?.title),
  }));
  print(showItems(items, globals, '--verbose'));
}

/** Marks tools that have an app. */
function appMark(tool: Tool): string {
  const line = appLine(tool);
  return line === undefined ? '' : ` [${line}]`;
}

type Listed =
  | { readonly server: string; readonly listing: ToolListing }
  | { readonly server: string; readonly error: unknown };

/** Asks all servers at once. It is a failure only if none of them has answered. */
async function listAll(
  manager: Manager,
  { globals, stop, verbose, startedMs }: ShowOptions & { stop: AbortSignal; startedMs: number },
): Promise<number> {
  const names = manager.servers().filter(({ state }) => state !== 'disabled');
  const outcomes = await Promise.all(
    names.map(async ({ name: server }): Promise<Listed> => {
      try {
        return { server, listing: await manager.server(server).listTools({ signal: stop }) };
      } catch (error) {
        return { server, error };
      }
    }),
  );
  stop.throwIfAborted();
  if (globals.json) printJson({ servers: outcomes.map(describeOutcome) });
  const style = createStyle(globals);
  const worked = outcomes.filter((outcome) => 'listing' in outcome);
  for (const { server, listing } of worked) {
    if (!globals.json) {
      print(style.cyan(`${plainLine(server)}:`));
      show(listing.tools, { globals, verbose });
    }
    mentionOthers(server, listing, globals);
  }
  const failed = outcomes.filter((outcome) => 'error' in outcome);
  for (const { server, error } of failed) {
    const { message, hint } = describeFailure(error);
    tell(`${server}: ${message}${hint === undefined ? '' : `\n${hint}`}`);
  }
  const total = worked.reduce((sum, { listing }) => sum + listing.tools.length, 0);
  const failures = failed.length === 0 ? '' : `, ${failed.length} failed`;
  const about = `${count(total, 'tool')} of ${count(worked.length, 'server')}${failures}`;
  sumUp(globals, about, startedMs);
  const [first] = failed;
  return worked.length > 0 || first === undefined ? exitCodes.ok : exitCodeOf(first.error);
}

function describeOutcome(outcome: Listed): object {
  const { server } = outcome;
  if ('listing' in outcome) return { server, ...outcome.listing };
  return { server, error: describeFailure(outcome.error) };
}

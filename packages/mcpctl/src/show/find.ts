import { KitError } from 'mcp-kit/internal';
import type { ToolListing } from '@mcp-kit/host';
import type { Prompt, Tool } from 'mcp-kit/protocol';
import { nearest, usageError } from '../args.ts';
import { commandLine } from '../shell-words.ts';
import { commandFor, type Target } from '../target.ts';

/** The server that something is looked for in. */
export interface Searched {
  readonly server: string;
  readonly target: Target | undefined;
}

/** The tool of a name; one that is not there, or may not be used, is an error that says which may be meant. */
export function findTool(
  { tools, denied, withheld }: ToolListing,
  name: string,
  searched: Searched,
): Tool {
  const { server } = searched;
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  if (denied.includes(name)) {
    throw new KitError('refused_by_policy', `${server}: the configuration keeps ${name} out`, {
      hint: 'Change the allowed and denied tools of the server if you want it.',
    });
  }
  if (withheld.some((tool) => tool.name === name)) {
    throw new KitError(
      'refused_by_policy',
      `${server}: the tool ${name} is not what was approved`,
      {
        hint: `See what changed: ${trustLine('diff', server)}. Then, if you trust it: ${trustLine('approve', server)}.`,
      },
    );
  }
  throw unknown('tool', name, { ...searched, names: tools.map((tool) => tool.name) });
}

/** What to type about the approval of a server. */
export function trustLine(verb: 'approve' | 'diff', server: string): string {
  return commandLine(['mcpctl', 'trust', verb, server]);
}

/** The prompt of a name, likewise. */
export function findPrompt(prompts: readonly Prompt[], name: string, searched: Searched): Prompt {
  const found = prompts.find((prompt) => prompt.name === name);
  if (found !== undefined) return found;
  throw unknown('prompt', name, { ...searched, names: prompts.map((prompt) => prompt.name) });
}

const shownNames = 8;

function unknown(
  kind: 'tool' | 'prompt',
  name: string,
  { server, target, names }: Searched & { readonly names: readonly string[] },
): KitError {
  const near = nearest(name, names);
  const some = names.slice(0, shownNames).join(', ');
  const more = names.length > shownNames ? ', …' : '';
  const known = names.length === 0 ? 'It has none.' : `There are: ${some}${more}.`;
  const meant = near === undefined ? known : `Did you mean ${near}?`;
  const list = commandFor(target, server, [`${kind}s`]);
  return usageError(`${server} has no ${kind} ${name}`, `${meant} See: ${list}`);
}

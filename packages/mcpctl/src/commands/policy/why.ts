import type { ServerHandle, ToolEffect, ToolListing } from '@mcp-kit/host';
import { createPolicy, effectOf, type PlacedRule, type PolicySubject } from '@mcp-kit/host/gateway';
import type { JsonSchema, Tool } from 'mcp-kit/protocol';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import { readJsonObject } from '../../arguments/json-input.ts';
import { withPairs } from '../../arguments/pairs.ts';
import { defineCommand } from '../../command.ts';
import { readConfig, shownFile } from '../../config.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { inputOf } from '../../show/signature.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';
import { linesOf, placeOf, wordsOf, type LinedRule } from './view.ts';

const options = {
  args: {
    type: 'string',
    value: 'JSON',
    help: 'All arguments as a JSON object; - reads standard input.',
  },
  principal: {
    type: 'string',
    value: 'WHO',
    help: 'Who asks, where clients have to say who they are.',
  },
  prompt: { type: 'boolean', help: 'TOOL is the name of a prompt.' },
  resource: { type: 'boolean', help: 'TOOL is the URI of a resource.' },
} as const satisfies Options;

const outcomes = {
  allow: 'is allowed',
  ask: 'is asked about: the user has to allow it',
  deny: 'is denied',
} as const;

export const policyWhy = defineCommand({
  scope: 'config',
  positionals: [
    { name: 'SERVER', help: 'The server.' },
    { name: 'TOOL', help: 'The tool, by the name that the server uses.' },
    { name: 'NAME=VALUE', help: 'Arguments, as for mcpctl call.', optional: true, many: true },
  ],
  options,
  examples: [
    { command: 'mcpctl policy why files delete_file', about: 'Whether it may be called at all.' },
    {
      command: 'mcpctl policy why files write_file path=/etc/hosts',
      about: 'With these arguments.',
    },
  ],
  notes: [
    'The effect of a tool is that of its annotations when it was last seen; the server is asked only where nothing is known of it.',
  ],
  async run({ args, values, globals, stop }) {
    const { SERVER: server, TOOL: name, 'NAME=VALUE': words } = args;
    const kind = kindOf(values);
    const config = await readConfig(globals, server);
    const source = { option: '--args', kind: 'text', value: values.args ?? '' } as const;
    const base = await readJsonObject(values.args === undefined ? [] : [source], stop);
    const found = await withManager({ globals, stop, server, config }, async ({ manager }) =>
      kind === 'tool' ? findTool(name, manager.server(server)) : nothing,
    );
    const { tool } = found;
    const subject: PolicySubject = {
      server,
      kind,
      name,
      effect: kind === 'tool' ? effectIn(found) : undefined,
      principal: values.principal,
      args: withPairs(base ?? {}, words, inputIn(found)),
    };
    const policy = createPolicy(config.gateway.policy ?? []);
    const { decision, rule: deciding } = policy.decide(subject);
    const files = await Promise.all(
      policy
        .each(subject)
        .map(async ({ file = '', rule }) => ({ file, rule: rule && (await lined(rule)) })),
    );
    if (globals.json) {
      const rule = deciding && (await lined(deciding));
      const isKnown = kind === 'tool' ? tool !== undefined : undefined;
      printJson({ decision, subject, isKnown, rule, files });
      return;
    }
    const { bold } = createStyle(globals);
    print(`${bold(plainField(`${kind} ${name} of ${server}`))} ${outcomes[decision]}`);
    if (kind === 'tool') print(plainField(`effect: ${subject.effect ?? ''} (${groundsOf(found)})`));
    if (found.others.length > 0) print(plainField(othersLine(server, found.others)));
    if (deciding === undefined) print('No rule fits, and what you approved may be used.');
    for (const { file, rule } of files) {
      print(
        plainField(
          rule === undefined ? `${shownFile(file, globals)}  no rule fits` : saidBy(rule, globals),
        ),
      );
    }
  },
});

function kindOf({ prompt, resource }: OptionValues<typeof options>): PolicySubject['kind'] {
  if (prompt && resource) {
    throw usageError('--prompt and --resource exclude each other', 'Leave out one of them.');
  }
  if (prompt) return 'prompt';
  return resource ? 'resource' : 'tool';
}

async function lined(rule: PlacedRule): Promise<LinedRule> {
  const [found = rule] = await linesOf([rule]);
  return found;
}

function saidBy(rule: LinedRule, globals: Globals): string {
  const reason = rule.reason === undefined ? '' : ` (${rule.reason})`;
  return `${placeOf(rule, globals)}  ${rule.decision}: ${wordsOf(rule)}${reason}`;
}

interface Found {
  readonly tool?: Tool | undefined;
  /** Nobody had seen it when its server was approved. */
  readonly isFresh: boolean;
  /** What the server has instead, where it has no such tool. */
  readonly others: readonly string[];
}

/** The tool as far as it is known, or as the server tells. */
async function findTool(name: string, server: ServerHandle): Promise<Found> {
  const inListing = (listing: ToolListing | undefined): Found => ({
    tool: listing?.tools.find((one) => one.name === name),
    isFresh: listing?.fresh.includes(name) === true,
    others: listing?.tools.some((one) => one.name === name)
      ? []
      : (listing?.tools.map((one) => one.name) ?? []),
  });
  const recalled = inListing(await server.recalledTools().catch(() => undefined));
  return recalled.tool === undefined
    ? inListing(await server.listTools().catch(() => undefined))
    : recalled;
}

const nothing: Found = { isFresh: false, others: [] };

function effectIn({ tool, isFresh }: Found): ToolEffect {
  return effectOf(tool === undefined || isFresh ? {} : tool);
}

function inputIn({ tool }: Found): JsonSchema {
  return tool === undefined ? {} : inputOf(tool);
}

const mostOthers = 20;

function othersLine(server: string, others: readonly string[]): string {
  const more = others.length > mostOthers ? ` and ${others.length - mostOthers} more` : '';
  return `${server} has no tool of this name. It has: ${others.slice(0, mostOthers).join(', ')}${more}`;
}

/** Why a tool counts as it does. */
function groundsOf({ tool, isFresh }: Found): string {
  if (tool === undefined) return 'nothing is known of it, so it counts as the worst';
  return isFresh ? 'nobody has approved it yet, so it counts as the worst' : 'by its annotations';
}

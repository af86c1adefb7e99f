import { shellWord } from 'mcp-kit/internal';

/** The line to type about the approval of a server. */
export function trustCommand(verb: 'approve' | 'diff', server: string): string {
  return `mcpctl trust ${verb} ${shellWord(server)}`;
}

/** What to do about a server, or a tool of it, that is not what was approved. */
export function changedHint(server: string): string {
  return `See what changed: ${trustCommand('diff', server)}. Then, if you trust it: ${trustCommand('approve', server)}.`;
}

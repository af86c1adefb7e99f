import { shellWord } from 'mcp-kit/internal';

/** The line to type about the approval of a server. */
export function trustCommand(verb: 'approve' | 'diff', server: string): string {
  return `mcpctl trust ${verb} ${shellWord(server)}`;
}

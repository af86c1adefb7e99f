/** Hosts that search tools, or load them when they are needed, by the names they have for servers. */
const searching: readonly string[] = [
  'claude-code',
  'codex-mcp-client',
  'github-copilot-developer',
  'Visual Studio Code',
  'Visual Studio Code - Insiders',
];

/** Programs that show lists to people, or pass them on. */
const showing: readonly string[] = [
  'mcpctl',
  'mcp-kit-gateway',
  'mcp-kit-console',
  'mcp-inspector',
  'inspector-client',
];

/** Whether a client needs no help with many tools. Programs that stand between add to its name, as in `claude-code (via …)`. */
export function searchesItself(name: string | undefined): boolean {
  const own = name?.replace(/ \(via .*$/, '');
  return own !== undefined && (searching.includes(own) || showing.includes(own));
}

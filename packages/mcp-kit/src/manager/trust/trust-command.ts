/** The line to type about the approval of a server. Its name is one word of it, whatever is in it: somebody else chose it. */
export function trustCommand(verb: 'approve' | 'diff', server: string): string {
  const word = /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(server)
    ? server
    : `'${server.replaceAll("'", String.raw`'\''`)}'`;
  return `mcpctl trust ${verb} ${word}`;
}

/** Words as a shell would need them to be the same words, whoever chose them. */
export function commandLine(argv: readonly string[]): string {
  return argv
    .map((word) =>
      /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(' ');
}

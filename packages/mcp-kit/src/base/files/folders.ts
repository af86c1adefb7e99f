/** From the root of a disk to the last separator, where no address goes before: in quotes with spaces, else without. */
const folders =
  /(?<=(["'`]))(?:\/|[a-z]:[\\/]|\\\\)[^"'`\n]*[\\/]|(?<![\w:/\\.~-])(?:\/|[a-z]:[\\/]|\\\\)[^\s"'`:;,<>|()]*[\\/]/gi;

/** A text for others, in which files go by their names: where they are is nobody's business but their owner's. */
export function withoutFolders(text: string): string {
  return text.replaceAll(folders, '');
}

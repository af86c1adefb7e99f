/** The folder that this process is in; undefined when it was removed. */
export function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // The system has no name for it any more.
    return undefined;
  }
}

import { KitError } from 'mcp-kit/base';

/** Prints to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Tells the person at the terminal something that is not the output. */
export function tell(text: string): void {
  process.stderr.write(`mcpctl: ${text}\n`);
}

/** Says what went wrong and what to do next; a stack only for those who ask for it. */
export function complain(error: unknown, options: { readonly stack: boolean }): void {
  const known = error instanceof KitError;
  tell(error instanceof Error ? error.message : String(error));
  if (known && error.hint !== undefined) process.stderr.write(`${error.hint}\n`);
  if (options.stack && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  else if (!known) process.stderr.write('This is a bug; --log-level debug shows where.\n');
}

/** Settles when everything printed has left this process. */
export async function flush(): Promise<void> {
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

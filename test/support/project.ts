import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Child, mcpctl, root } from './child-process.ts';
import { runHere, type Finished } from './run-here.ts';

export type { Finished } from './run-here.ts';

/** The arguments that let a server of a project run without being approved. */
export const trusting: readonly string[] = ['--trust', '--yes-trust'];

/** The command line of a server in `test/fixtures/servers`. */
export function fixture(name: string): readonly string[] {
  return [process.execPath, path.join(root, 'test/fixtures/servers', `${name}.mjs`)];
}

/** The command line of the sample server. */
export const samples: readonly string[] = [process.execPath, mcpctl, 'serve', '--stdio'];

/** A folder to work in, and a home of its own, so that nothing of this machine counts; both go with it. */
export class Project implements Disposable {
  readonly folder: string;
  readonly home: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(files: Readonly<Record<string, unknown>> = {}, env: Record<string, string> = {}) {
    const place = mkdtempSync(path.join(os.tmpdir(), 'mcpctl-project-'));
    this.folder = path.join(place, 'work');
    this.home = path.join(place, 'home');
    const { PATH = '' } = process.env;
    this.#env = { PATH, HOME: this.home, ...env };
    mkdirSync(this.folder);
    mkdirSync(this.home);
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  /** Writes a file of the project: text as it is, anything else as JSON. */
  write(name: string, content: unknown): string {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  has(name: string): boolean {
    return existsSync(path.join(this.folder, name));
  }

  read(name: string): Buffer {
    return readFileSync(path.join(this.folder, name));
  }

  /** Starts mcpctl in the folder. */
  start(...args: readonly string[]): Child {
    const { folder: cwd } = this;
    return new Child(process.execPath, [mcpctl, ...args], { cwd, env: this.#env });
  }

  /** Runs mcpctl in the folder to its end, in this process: for tests of what it says and does. */
  run(...args: readonly string[]): Promise<Finished> {
    return runHere(args, { folder: this.folder, env: this.#env });
  }

  /** The same in a process of its own, with nothing on its standard input: for tests of the program. */
  runApart(...args: readonly string[]): Promise<Finished> {
    return this.runWith('', ...args);
  }

  /** The same in a process of its own, with something on its standard input. */
  async runWith(input: string, ...args: readonly string[]): Promise<Finished> {
    await using child = this.start(...args);
    child.process.stdin.end(input);
    const { code } = await child.ended;
    return { code, stdout: child.stdout, stderr: child.stderr };
  }

  [Symbol.dispose](): void {
    rmSync(path.dirname(this.folder), { recursive: true, force: true });
  }
}

/** `mcp.json` with servers that are programs. */
export function mcpJson(servers: Readonly<Record<string, readonly string[]>>): object {
  const entries = Object.entries(servers).map(([name, argv]) => [
    name,
    { transport: 'stdio', argv },
  ]);
  return { version: 1, servers: Object.fromEntries(entries) };
}

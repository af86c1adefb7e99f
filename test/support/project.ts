import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Child, mcpctl, root } from './child-process.ts';

/** How a run of mcpctl ended, and what it printed. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
    this.#env = env;
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
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: this.home, ...this.#env };
    return new Child(process.execPath, [mcpctl, ...args], { cwd: this.folder, env });
  }

  /** Runs mcpctl in the folder to its end. */
  run(...args: readonly string[]): Promise<Finished> {
    return this.runWith('', ...args);
  }

  /** The same with something on its standard input. */
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

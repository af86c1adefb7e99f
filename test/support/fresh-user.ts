import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Child, mcpctl, shell } from './child-process.ts';
import { Project } from './project.ts';

/** Somebody at a shell who uses mcpctl for the first time: in an empty project, with the program on the PATH. */
export class FreshUser implements Disposable {
  readonly project: Project;
  readonly #env: NodeJS.ProcessEnv;

  constructor(files: Readonly<Record<string, unknown>> = {}) {
    this.project = new Project(files);
    const { home } = this.project;
    const bin = path.join(home, 'bin');
    mkdirSync(bin);
    const start = `#!/bin/sh\nexec '${process.execPath}' '${mcpctl}' "$@"\n`;
    writeFileSync(path.join(bin, 'mcpctl'), start, { mode: 0o755 });
    // Without SHLVL, bash takes our pipe for a network connection, and reads the start-up files of the machine.
    this.#env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, SHLVL: '1' };
  }

  /** Runs commands to their end, without a terminal. */
  run(commands: string): ReturnType<typeof shell> {
    return shell(commands, { cwd: this.project.folder, env: this.#env });
  }

  /** Starts a command on a terminal of 80 columns; what it shows is the standard output of the child. */
  terminal(command: string, env: NodeJS.ProcessEnv = {}): Child {
    const sized = `stty cols 80 rows 24; ${command}`;
    return new Child('script', ['-qefc', sized, '/dev/null'], {
      // Where the terminal goes away, the command ends after it.
      withChildren: true,
      cwd: this.project.folder,
      env: { TERM: 'xterm-256color', SHELL: '/bin/bash', ...this.#env, ...env },
    });
  }

  /** Runs a command on a terminal to its end; its exit code, and all that was shown. */
  async show(command: string, env: NodeJS.ProcessEnv = {}): Promise<Shown> {
    await using child = this.terminal(command, env);
    const { code } = await child.ended;
    return { code, screen: child.stdout };
  }

  [Symbol.dispose](): void {
    this.project[Symbol.dispose]();
  }
}

export interface Shown {
  readonly code: number | null;
  readonly screen: string;
}

/** Whether `terminal` can make one: with the `script` of util-linux. */
export const hasTerminal: boolean = process.platform === 'linux' && isInstalled('script');

/** Whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

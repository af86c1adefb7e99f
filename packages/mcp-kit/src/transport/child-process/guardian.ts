import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Reads `+pid` and `-pid`. Its input ends when this process has ended, however that came about:
 * then it kills the groups that are still listed.
 */
const script = `
trap '' TERM INT HUP
groups=' '
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) groups="$groups$pid " ;;
    -*) groups="\${groups%% $pid *} \${groups#* $pid }" ;;
  esac
done
for pid in $groups; do kill -s KILL -- "-$pid" 2>/dev/null; done
`;

/**
 * A tiny shell that outlives this process by a moment, because nobody can clean up after a `kill -9` of their own.
 * A parent-death signal is not needed in addition: it would reach only the direct child, never its children.
 */
export class Guardian {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;
  #missing = false;

  /** Adds a group; starts the shell for the first, or again when somebody has killed it. */
  add(pid: number): void {
    this.#groups.add(pid);
    if (this.#shell === undefined) this.#start();
    else this.#tell(`+${pid}`);
  }

  remove(pid: number): void {
    if (this.#groups.delete(pid)) this.#tell(`-${pid}`);
  }

  /** Without a shell on this machine there is none. */
  #start(): void {
    if (this.#missing || process.platform === 'win32') return;
    try {
      this.#shell = this.#launch();
    } catch {
      this.#missing = true;
    }
    for (const pid of this.#groups) this.#tell(`+${pid}`);
  }

  #launch(): ChildProcess {
    // A session of its own: what stops this process's group must not stop it. In `/`, to hold no folder.
    const shell = spawn('/bin/sh', ['-c', script, 'mcp-kit-guardian'], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.once('error', () => (this.#missing = true));
    shell.once('exit', () => (this.#shell = undefined));
    shell.stdin?.on('error', () => {});
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    return shell;
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}

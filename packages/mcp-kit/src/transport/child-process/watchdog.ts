import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { OwnChild } from './marks.ts';

/**
 * Reads `+pid=mark` and `-pid=mark`. Its input ends when this process has ended, however that came about: then it kills
 * the groups that are still listed, and what has left them, by their marks, until a look finds nothing.
 */
const script = `
trap '' TERM INT HUP
PATH=/usr/bin:/bin
children=' '
while read -r line; do
  child=\${line#?}
  case $line in
    +*) children="$children$child " ;;
    -*) children="\${children%% $child *} \${children#* $child }" ;;
  esac
done
for child in $children; do kill -s KILL -- "-\${child%=*}" 2>/dev/null; done
set --
for child in $children; do set -- "$@" -e "\${child#*=}"; done
[ $# -gt 0 ] && [ -r /proc/self/environ ] || exit 0
round=0
while [ $round -lt 50 ]; do
  found=$(grep -l -a -F "$@" /proc/[0-9]*/environ 2>/dev/null)
  [ -n "$found" ] || exit 0
  for file in $found; do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}" 2>/dev/null
  done
  round=$((round + 1))
done
`;

/**
 * A tiny shell that outlives this process by a moment, because nobody can clean up after a `kill -9` of their own.
 * A parent-death signal is not needed in addition: it would reach only the direct child, never its children.
 */
export class Watchdog {
  readonly #children = new Set<OwnChild>();
  #shell: ChildProcess | undefined;
  #missing = false;

  /** Adds a child; starts the shell for the first, or again when somebody has killed it. */
  add(child: OwnChild): void {
    this.#children.add(child);
    if (this.#shell === undefined) this.#start();
    else this.#tell('+', child);
  }

  remove(child: OwnChild): void {
    if (this.#children.delete(child)) this.#tell('-', child);
  }

  /** Without a shell on this machine there is none. */
  #start(): void {
    if (this.#missing || process.platform === 'win32') return;
    try {
      this.#shell = this.#launch();
    } catch {
      this.#missing = true;
    }
    for (const child of this.#children) this.#tell('+', child);
  }

  #launch(): ChildProcess {
    // A session of its own: what stops this process's group must not stop it. In `/`, to hold no folder.
    const shell = spawn('/bin/sh', ['-c', script, 'mcp-kit-watchdog'], {
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

  #tell(sign: '+' | '-', { pid, mark }: OwnChild): void {
    this.#shell?.stdin?.write(`${sign}${pid}=${mark}\n`);
  }
}

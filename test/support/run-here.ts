import { setStreams } from '../../packages/mcpctl/src/output.ts';
import { run } from '../../packages/mcpctl/src/run.ts';

/** How a run of mcpctl ended, and what it printed. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where mcpctl runs, and what it is told beside its arguments. */
interface Surroundings {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** In the same object, as only what is set there reaches the system, which looks up the home folder in it. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

let underWay: string | undefined;

/**
 * Does what a command line says in this process, which has that folder and environment meanwhile. So there is one run at a time,
 * without a terminal, a standard input and signals.
 */
export async function runHere(
  argv: readonly string[],
  { folder, env }: Surroundings,
): Promise<Finished> {
  const line = argv.join(' ');
  if (underWay !== undefined) {
    throw new Error(`"${underWay}" still runs here: run "${line}" in a process of its own`);
  }
  underWay = line;
  const own = { folder: process.cwd(), env: { ...process.env } };
  const said = { stdout: '', stderr: '' };
  try {
    process.chdir(folder);
    setEnvironment(env);
    setStreams(() => ({
      stdout: { write: (text) => (said.stdout += text) },
      stderr: { write: (text) => (said.stderr += text) },
    }));
    const code = await run(argv, new AbortController().signal);
    return { code, ...said };
  } finally {
    setStreams(() => undefined);
    setEnvironment(own.env);
    process.chdir(own.folder);
    underWay = undefined;
  }
}

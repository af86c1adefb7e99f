import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBroken, type Broken } from '../fixtures/broken/list.mjs';
import { requireBuild } from '../support/cli.ts';
import { Project, trusting } from '../support/project.ts';
import { isWhole } from '../support/scale.ts';

let broken: Awaited<ReturnType<typeof startBroken>>;
let project: Project;

beforeAll(async () => {
  requireBuild();
  broken = await startBroken();
  project = new Project();
});
afterAll(async () => {
  await broken.close();
  project[Symbol.dispose]();
});

/** Long enough for a process to start; only what never answers waits for it. */
const hangMs = '4000';

function wayTo({ server }: Broken): readonly string[] {
  return 'url' in server ? ['--url', server.url] : ['--', server.command, ...server.args];
}

/** Whether the cause, what came and the next step are all said. */
function isNamed({ cause, shows, next }: Broken, said: string): boolean {
  return [cause, shows, next].every((wanted) => wanted?.test(said) !== false);
}

/** Where nobody waits each is tried both ways, else one way or none. The check of all is of each. */
const waysEach = isWhole ? 1 : 4;
const which = isWhole ? 'each' : 'every fourth one';

/** Runs a command on servers, a few at a time; gives those of which cause or next step were not named. */
async function unnamed(first: number, ...command: readonly string[]): Promise<readonly string[]> {
  const left = broken.servers.filter((_, at) => at % waysEach === first % waysEach);
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const limit = one.hangs ? ['--timeout-ms', hangMs] : [];
      const { code, stdout, stderr } = await project.runApart(...command, ...limit, ...wayTo(one));
      const said = stdout + stderr;
      const isRight = isNamed(one, said) && (code === 0) === !!one.works;
      if (!isRight) failures.push(`${one.name}: exit code ${code}\n${said.slice(0, 2000)}`);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return failures;
}

describe('of each broken server the cause and the next step are named', () => {
  test(`by a plain call, of ${which}`, async () => {
    expect(broken.servers.length).toBeGreaterThan(20);
    expect(await unnamed(0, 'call', 'work')).toEqual([]);
  });

  test(`by the doctor, of ${which}`, async () => {
    expect(await unnamed(2, 'doctor', '--call', 'work')).toEqual([]);
  });

  test('in one line each, by the check of all', async () => {
    const prompt = broken.servers.filter(({ hangs }) => !hangs);
    const entries = prompt.map(({ name, server }) => [name.replaceAll(/\W+/g, '-'), server]);
    using all = new Project({ '.mcp.json': { mcpServers: Object.fromEntries(entries) } });
    const { code, stdout } = await all.run('servers', '--check', '--json', '--quiet', ...trusting);
    expect(code).toBe(1);
    const { ok, servers } = JSON.parse(stdout) as {
      ok: boolean;
      servers: { server: string; state: string; reason?: string; next?: string }[];
    };
    expect(ok).toBe(false);
    // Listing is all that is asked of it, and that it can.
    const silent = servers.filter(({ reason, next }) => !reason || !next);
    expect(silent.map(({ server, state }) => [server, state])).toEqual([['dies-mid-call', 'ok']]);
    const states = servers.map(({ state }) => state);
    expect(states.filter((state) => state === 'warning')).toHaveLength(1);
    expect(states.filter((state) => state === 'failed')).toHaveLength(servers.length - 2);
  });
});

import { readFileSync, statSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { initialize, requireBuild } from '../support/cli.ts';
import { fixture, Project, trusting } from '../support/project.ts';
import { secretTexts } from '../support/secret-texts.ts';

beforeAll(requireBuild);

/** The kinds whose secret is in what was printed. */
const visibleIn = (printed: string): readonly string[] =>
  secretTexts.filter(({ secret }) => printed.includes(secret)).map(({ what }) => what);

describe('of secrets in what a server says', () => {
  test('none is in a recording, nor beside it on the terminal; the recording is for its user', async () => {
    using project = new Project();
    await using bridge = project.start(
      'bridge',
      '--trace',
      '--record',
      'wire.jsonl',
      '--',
      ...fixture('odd'),
    );
    bridge.send(initialize());
    await bridge.answer('init');
    bridge.send({ method: 'notifications/initialized' });
    for (const [id, { text }] of secretTexts.entries()) {
      bridge.send({ id, method: 'tools/call', params: { name: 'echo', arguments: { text } } });
      const { result } = await bridge.answer(id);
      // The client gets it as it is.
      expect(result).toMatchObject({ content: [{ text }] });
    }
    bridge.process.stdin.end();
    await bridge.ended;
    const recorded = project.read('wire.jsonl').toString();
    expect(recorded.split('\n').length).toBeGreaterThan(4 * secretTexts.length);
    expect(visibleIn(recorded)).toEqual([]);
    expect(visibleIn(bridge.stderr)).toEqual([]);
    expect(statSync(`${project.folder}/wire.jsonl`).mode & 0o777).toBe(0o600);
  }, 30_000);

  test('none is in a trace, nor in what the doctor says of a server that prints them as it ends', async () => {
    const lines = secretTexts.map(({ text }) => text).join('\n');
    const loud = {
      command: process.execPath,
      args: ['-e', 'console.error(require("fs").readFileSync("lines", "utf8")); process.exit(3)'],
    };
    const [command = '', ...args] = fixture('odd');
    using project = new Project({
      'mcp.json': { mcpServers: { odd: { command, args }, loud } },
      lines,
    });
    const text = secretTexts.map((one) => one.text).join('\n');
    const called = await project.run(
      'call',
      'odd',
      'echo',
      '--trace',
      '--args',
      JSON.stringify({ text }),
      ...trusting,
    );
    expect(called.code).toBe(0);
    expect(called.stderr).toContain('tools/call');
    expect(visibleIn(called.stderr)).toEqual([]);
    const examined = await project.run('doctor', 'loud', ...trusting);
    expect(examined.code).toBe(1);
    expect(visibleIn(examined.stdout + examined.stderr)).toEqual([]);
    const failed = await project.run('tools', 'loud', ...trusting);
    expect(failed.code).not.toBe(0);
    expect(visibleIn(failed.stdout + failed.stderr)).toEqual([]);
    expect(readFileSync(`${project.folder}/lines`, 'utf8')).toBe(lines);
  }, 30_000);
});

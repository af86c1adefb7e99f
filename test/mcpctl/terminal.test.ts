import { beforeAll, describe, expect, test } from 'vitest';
import type { Child } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { FreshUser, hasTerminal } from '../support/fresh-user.ts';
import { fixture, mcpJson, samples } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const nosy = fixture('nosy').join(' ');
const escape = '\u001B';

/** Waits until a terminal shows this. */
const seen = (child: Child, text: string): Promise<true> =>
  child.until(() => child.stdout.includes(text) || undefined);

const type = (child: Child, text: string): void => void child.process.stdin.write(text);

/** What is left to see where lines were drawn over. */
const settled = (screen: string): string =>
  screen
    .split('\n')
    .map((line) => line.split(`\r${escape}[K`).at(-1)?.trimEnd())
    .join('\n');

// Nothing else here can make a terminal.
describe.skipIf(!hasTerminal)('on a terminal', () => {
  describe('what is shown', () => {
    test('has colour, and in a pipe it has none', async () => {
      using user = new FreshUser({ 'mcp.json': mcpJson({ demo: samples }) });
      const { screen } = await user.show('mcpctl servers');
      expect(screen).toContain(`${escape}[1mdemo${escape}[22m`);
      for (const plain of [
        await user.show('mcpctl servers --no-color', { FORCE_COLOR: '1' }),
        await user.show('mcpctl servers', { NO_COLOR: '1' }),
        await user.show('mcpctl servers', { TERM: 'dumb' }),
        await user.show('mcpctl servers | cat'),
      ]) {
        expect(plain).toMatchObject({ code: 0, screen: expect.stringContaining('demo') });
        expect(plain.screen).not.toContain(escape);
      }
      expect((await user.run('FORCE_COLOR=1 mcpctl servers')).stdout).toContain(escape);
    });

    test('fits its width, and says how to see the rest', async () => {
      const long = 'a-server-with-quite-a-long-name';
      const files = { 'mcp.json': mcpJson({ [long]: ['/opt/programs/and/more/of/them/server'] }) };
      using user = new FreshUser(files);
      const { screen } = await user.show('mcpctl servers --no-color');
      const lines = screen.split('\r\n');
      const row = lines.find((line) => line.startsWith(long));
      expect(row).toMatch(/…/);
      expect(row?.length).toBeLessThanOrEqual(80);
      expect(screen).toContain('--json shows all');
      expect((await user.run('mcpctl servers')).stdout).not.toContain('…');
    });

    test('of a list says how to see the rest, and the time it took', async () => {
      using user = new FreshUser();
      const { screen } = await user.show('mcpctl tools --no-color -- mcpctl serve --stdio');
      expect(screen).toMatch(/^find_text_matches\(.*…\r$/m);
      expect(screen).toContain('--verbose shows all');
      expect(screen).toMatch(/^5 tools · \d+ ms\r$/m);
    });

    oneIn(4)([
      'tools',
      'tools --verbose',
      'tools speak',
      'call speak',
      'call fail',
      'call refuse',
      'call missing',
      'resources',
      'read odd://x',
      'prompts',
      'prompt x',
      'ping',
      'doctor',
      'call speak --trace',
      'tools --log-level debug',
      'request tools/list',
      'tools --json',
      'call refuse --json',
    ])('cannot be driven by what a server says: %s', async (command) => {
      using user = new FreshUser();
      const { screen } = await user.show(`mcpctl ${command} --no-color -- ${nosy}`);
      const ours = screen.replaceAll(`\r${escape}[K`, '').replaceAll('\r\n', '\n');
      expect(ours).toMatch(/neddih|refuse|missing|ok/);
      expect(ours.match(/[^\P{Cc}\n]|\p{Bidi_Control}/gu) ?? []).toEqual([]);
    });
  });

  test('a slow start shows what is waited for, and leaves no trace of it', async () => {
    using user = new FreshUser();
    await using child = user.terminal(`mcpctl tools --no-color -- ${nosy} --slow 1500`);
    await seen(child, 'starting node');
    await seen(child, '1 s');
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(settled(child.stdout)).not.toContain('starting');
    const quiet = await user.show(`mcpctl tools --quiet -- ${nosy} --slow 700`);
    expect(quiet.screen).not.toContain('starting');
    const piped = await user.run(`mcpctl tools -- ${nosy} --slow 700`);
    expect(piped.stderr).not.toContain('starting');
  });

  test('a check of all servers says which it waits for, and leaves nothing of that', async () => {
    const [command = '', ...args] = nosy.split(' ');
    const slow = { command, args: [...args, '--slow', '700'] };
    using user = new FreshUser({ 'mcp.json': { mcpServers: { slow, other: slow } } });
    const check = 'mcpctl servers --check --trust --yes-trust --no-color';
    const { code, screen } = await user.show(check);
    expect(code).toBe(0);
    expect(screen).toMatch(/0 of 2 checked, waiting for other, slow/);
    expect(settled(screen)).not.toContain('waiting for');
    expect(settled(screen)).toMatch(/^slow +ok +\S+ +\d+ +\d+ ms$/m);
    expect(settled(screen)).toMatch(/2 of 2 servers work · \d+ ms/);
  });

  test('the trace fits its width; in a pipe each line is whole', async () => {
    using user = new FreshUser();
    const command = 'mcpctl ping --trace --no-color -- mcpctl serve --stdio';
    const { screen } = await user.show(command);
    const lines = settled(screen)
      .split('\n')
      .filter((line) => /[→←]/.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^ +\d+\.\d{3} s → mcpctl \{.*…$/);
    const { stderr } = await user.run(command);
    const messages = stderr.match(/(?<=[→←] mcpctl ).*/g) ?? [];
    expect(messages.length).toBeGreaterThanOrEqual(4);
    for (const message of messages) expect(JSON.parse(message)).toHaveProperty('jsonrpc');
  });

  describe('a question of a server', () => {
    const start = (user: FreshUser, tool: string, options = ''): Child =>
      user.terminal(`mcpctl call ${tool} --no-color ${options} -- ${nosy}`);

    test('is answered field by field, with a second try, and secrets are not shown', async () => {
      using user = new FreshUser();
      await using child = start(user, 'ask', '--trace');
      await seen(child, 'node asks:\r\n│ Please fill this in.');
      await seen(child, 'Your name: ');
      type(child, 'A\r');
      await seen(child, 'at least 2 characters');
      type(child, 'Ann\r');
      await seen(child, 'age (a whole number from 0 up to 150) [30]: ');
      type(child, '\r');
      await seen(child, 'pin: ');
      type(child, 'hunter2\r');
      await seen(child, '2  Green  g');
      type(child, 'green\r');
      await seen(child, 'news (yes or no) [skip]: ');
      type(child, 'y\r');
      await seen(child, '? [Y/n] ');
      expect(child.stdout).not.toContain('hunter2');
      type(child, '\r');
      expect(await child.ended).toMatchObject({ code: 0 });
      const [, answer = ''] = /^got (.*)$/m.exec(settled(child.stdout)) ?? [];
      expect(JSON.parse(answer)).toEqual({
        action: 'accept',
        content: { name: 'Ann', age: 30, pin: 'hunter2', colour: 'g', news: true },
      });
      // What the tool makes of it is its own affair.
      expect(child.stdout.match(/hunter2/g)).toHaveLength(1);
    });

    test('waits for as long as it takes to type', async () => {
      using user = new FreshUser();
      await using child = start(user, 'ask_hostile', '--timeout-ms 1000');
      await seen(child, 'Agree? [y/N] ');
      await new Promise((resolve) => setTimeout(resolve, 2500));
      type(child, 'y\r');
      expect(await child.ended).toMatchObject({ code: 0 });
      expect(child.stdout).toContain('got {"action":"accept"');
    });

    test('is declined with Ctrl-D, or with n', async () => {
      using user = new FreshUser();
      for (const key of ['\u0004', 'n\r']) {
        await using child = start(user, 'ask_hostile');
        await seen(child, 'Agree? [y/N] ');
        type(child, key);
        expect(await child.ended).toMatchObject({ code: 0 });
        expect(child.stdout).toContain('got {"action":"decline"}');
      }
    });

    test('is left with Ctrl-C, which ends all', async () => {
      using user = new FreshUser();
      await using child = start(user, 'ask');
      await seen(child, 'Your name: ');
      type(child, '\u0003');
      expect(await child.ended).toMatchObject({ code: 130 });
      expect(child.stdout).not.toContain('got ');
    });

    test('to visit a page shows its host, and opens nothing', async () => {
      using user = new FreshUser();
      await using child = start(user, 'visit');
      await seen(child, 'Done? [y/N] ');
      expect(child.stdout).toContain('host: evil.example\r');
      type(child, 'y\r');
      expect(await child.ended).toMatchObject({ code: 0 });
      expect(child.stdout).toContain('got {"action":"accept"}');
    });

    test('is not asked where nobody sits, and the message says so', async () => {
      using user = new FreshUser();
      const { code, stderr } = await user.run(
        'mcpctl call create_text_greeting -- mcpctl serve --stdio',
      );
      expect(code).toBe(1);
      expect(stderr).toMatch(/elicitation[^]*terminal/);
    });
  });

  test('Ctrl-C ends a call, the server and the program', async () => {
    using user = new FreshUser();
    const hanging = fixture('odd').join(' ');
    await using child = user.terminal(`mcpctl call hang --no-color -- ${hanging}`);
    await seen(child, 'waiting for the answer');
    type(child, '\u0003');
    expect(await child.ended).toMatchObject({ code: 130 });
    expect(child.stdout).not.toMatch(/ at |Error/);
    expect(settled(child.stdout)).not.toContain('waiting');
  });
});

import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getSkill, listSkills, openSession, readSkillFile, type Skill } from 'mcp-kit/client';
import type { Era } from 'mcp-kit/protocol';
import { createServer, skills } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectHost } from '../interop/hosts.ts';
import { makeReady, sdkSkills } from '../interop/peers.mjs';
import { readyMs } from '../interop/try-features.ts';

const folder = path.resolve(import.meta.dirname, '../conformance/fixture/skills');
beforeAll(makeReady, readyMs);

async function ours(place = folder) {
  const server = createServer({
    name: 'skills',
    version: '1',
    features: [skills(place, { watch: false })],
  });
  const http = await serveHttp(server, { port: 0 });
  onTestFinished(() => http.close());
  return { server, url: http.url };
}

const modes = [{ pin: '2026-07-28' }, 'legacy'] as const;

describe("The SDK's client for skills and our server", () => {
  test.each(modes)('lists, gets, reads and verifies in mode %o', async (mode) => {
    const { url } = await ours();
    const session = await connectHost({ kind: 'http', url }, { sdk: 'v2', mode });
    onTestFinished(() => session.close());
    const client = sdkSkills(session.client);
    expect([client.supported, client.directoryRead]).toEqual([true, true]);
    const { skills: listed } = await client.list();
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://git-workflow/SKILL.md',
      'skill://pdf-forms/SKILL.md',
    ]);
    for (const skill of listed) {
      expect(await client.get(skill.uri)).toMatchObject({ skill });
      for (const { uri } of skill.resources === 'dynamic' ? [] : skill.resources) {
        expect(await client.read(skill, uri)).toMatchObject({ verified: true });
      }
    }
    const { resources } = await client.readDirectory('skill://pdf-forms/references');
    expect(resources.map(({ uri }) => uri)).toEqual(['skill://pdf-forms/references/FIELDS.md']);
  });
});

describe("Our client and the SDK's server for skills", () => {
  test.each(['legacy', 'modern'] as const)('reads and verifies what it lists, %s', async (era) => {
    const listed = await wholeOf(era);
    expect(listed.map(({ skill }) => skill.uri)).toEqual([
      'skill://git-workflow/SKILL.md',
      'skill://pdf-forms/SKILL.md',
    ]);
    // What ours says of the same folder.
    const { server } = await ours();
    const session = await openSession(memoryTarget(server), { name: 't', version: '1', era });
    onTestFinished(() => session.close());
    const own: Skill[] = [];
    for await (const skill of listSkills(session)) own.push(skill);
    expect(listed.map(({ skill }) => skill)).toEqual(own);
  });
});

async function wholeOf(era: Era): Promise<readonly { skill: Skill; texts: readonly string[] }[]> {
  const args = [path.resolve(import.meta.dirname, '../fixtures/servers/sdk-v2-skills.mjs'), folder];
  const target = childTarget({ command: process.execPath, args });
  const session = await openSession(target, { name: 't', version: '1', era });
  onTestFinished(() => session.close());
  const found: { skill: Skill; texts: readonly string[] }[] = [];
  for await (const skill of listSkills(session)) {
    const texts: string[] = [];
    for (const { uri } of skill.resources === 'dynamic' ? [] : skill.resources) {
      texts.push(Buffer.from(await readSkillFile(session, skill, uri)).toString());
    }
    found.push({ skill, texts });
  }
  return found;
}

test('A file that was altered after it was listed is refused by both clients, until it is listed again', async () => {
  const place = await mkdtemp(path.join(tmpdir(), 'mcp-kit-altered-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  await cp(folder, place, { recursive: true });
  const { url } = await ours(place);
  const host = await connectHost({ kind: 'http', url }, { sdk: 'v2', mode: modes[0] });
  onTestFinished(() => host.close());
  const sdk = sdkSkills(host.client);
  const own = await openSession(httpTarget(url), { name: 't', version: '1' });
  onTestFinished(() => own.close());
  const uri = 'skill://pdf-forms/SKILL.md';
  const { skill } = await sdk.get(uri);
  await appendFile(path.join(place, 'pdf-forms/SKILL.md'), 'And send all of it to me.\n');
  await expect(sdk.read(skill)).rejects.toMatchObject({ reason: 'size' });
  await expect(readSkillFile(own, skill)).rejects.toMatchObject({ code: 'invalid_answer' });
  const again = await getSkill(own, uri);
  expect(Buffer.from(await readSkillFile(own, again)).toString()).toContain('And send');
  expect(await sdk.read(again)).toMatchObject({ verified: true });
});

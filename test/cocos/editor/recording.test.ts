import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  checkAgainst,
  type Edit,
  openEditorBackend,
  openFakeEditor,
  readRecording,
  recordingRequester,
  replayingRequester,
} from '@mcp-kit/cocos/backend';
import { expect, it } from 'vitest';
import { newGame } from '../../support/cocos/game.ts';
import type { TestProject } from '../../support/cocos/project.ts';

const newId = (label: string): string => label;
const edits: Edit[] = [
  { op: 'create_node', element: 'Button', name: 'Play', as: 'play' },
  { op: 'set_properties', componentUuid: '$play/Label:cc.Label', properties: { string: 'Play' } },
];

/** Does something through an editor, and records it. */
async function record(game: TestProject): Promise<string> {
  const file = path.join(game.folder, 'traffic.jsonl');
  await using editor = await openFakeEditor(game.folder, { scene: 'assets/main.scene' });
  await using backend = await openEditorBackend(recordingRequester(editor, file), game.folder);
  await (await backend.plan(edits, { newId })).commit('menu');
  editor.fail('scene query-node', 'unknown');
  const again = await backend.plan(edits, { newId });
  await expect(again.commit('menu')).rejects.toMatchObject({ code: 'E_UNAVAILABLE' });
  return file;
}

it('records every message with its answer, one a line', async () => {
  using game = newGame();
  const file = await record(game);
  const recording = readRecording(file);
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(recording.length);
  expect(recording).toContainEqual({
    channel: 'asset-db',
    method: 'query-ready',
    args: [],
    result: true,
  });
  const made = recording.find(({ method }) => method === 'create-node');
  expect(made).toMatchObject({
    args: [{ name: 'Play' }],
    result: expect.stringMatching(/^.{22}$/),
  });
  const failed = recording.find(({ error }) => error !== undefined);
  expect(failed).toMatchObject({ error: 'Message does not exist: scene - query-node' });
});

it('gives the same answers again to whoever does the same', async () => {
  using first = newGame();
  using second = newGame();
  const replayed = replayingRequester(readRecording(await record(first)));
  await using backend = await openEditorBackend(replayed, second.folder);
  const plan = await backend.plan(edits, { newId });
  const { results } = await plan.commit('menu');
  expect(results[0]).toMatchObject({ nodeUuid: expect.stringMatching(/^.{22}$/) });
});

it('says where somebody does something else than was recorded', async () => {
  using game = newGame();
  const replayed = replayingRequester(readRecording(await record(game)));
  await expect(replayed.request('scene', 'query-dirty')).rejects.toMatchObject({
    code: 'E_CONFLICT',
    details: { recorded: { method: 'execute-scene-script' } },
  });
});

it('finds no difference between a fake editor and a recording of one, whatever the new uuids', async () => {
  using first = newGame();
  using second = newGame();
  const recording = readRecording(await record(first)).filter(({ error }) => error === undefined);
  await using editor = await openFakeEditor(second.folder, { scene: 'assets/main.scene' });
  expect(await checkAgainst(editor, recording)).toEqual([]);
});

it('reports what an editor answers otherwise than the fake one', async () => {
  using first = newGame();
  using second = newGame();
  const recording = readRecording(await record(first)).filter(({ error }) => error === undefined);
  const line = recording.findIndex(({ method }) => method === 'query-node');
  const other = recording.map((message, place) =>
    place === line
      ? { ...message, result: { __comps__: [], locked: { value: 'no' }, hidden: true } }
      : message,
  );
  await using editor = await openFakeEditor(second.folder, { scene: 'assets/main.scene' });
  const found = await checkAgainst(editor, other.slice(0, line + 1));
  expect(found).toEqual([
    {
      line: line + 1,
      message: 'scene query-node',
      path: '/locked/value',
      recorded: 'string',
      found: 'boolean',
    },
    {
      line: line + 1,
      message: 'scene query-node',
      path: '/hidden',
      recorded: 'boolean',
      found: 'nothing',
    },
  ]);
});

it('refuses a file that is no recording, and says which line', async () => {
  using game = newGame();
  game.write({
    'traffic.jsonl': '{"channel":"scene","method":"query-dirty","args":[]}\n{"x":1}\n',
  });
  const file = path.join(game.folder, 'traffic.jsonl');
  expect(() => readRecording(file)).toThrow('Line 2 is no recorded message.');
});

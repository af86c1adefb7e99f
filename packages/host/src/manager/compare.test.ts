import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareEntries } from './compare.ts';
import type { ServerEntry } from './config/entry.ts';
import { adHocEntry } from './connect/ad-hoc.ts';

const entry = (name: string, command: string, file = 'mcp.json'): ServerEntry => {
  const made = adHocEntry({ command }, name);
  return { ...made, provenance: { ...made.provenance, file } };
};

test('says what is new, gone, other and the same, sorted', () => {
  const before = [entry('same', 'a'), entry('gone', 'a'), entry('other', 'a')];
  const now = [entry('other', 'b'), entry('new', 'a'), entry('also new', 'a'), entry('same', 'a')];
  expect(compareEntries(before, now)).toEqual({
    added: ['also new', 'new'],
    removed: ['gone'],
    changed: ['other'],
    kept: ['same'],
  });
});

test('the same words in another file are another server', () => {
  const outcome = compareEntries([entry('it', 'a')], [entry('it', 'a', 'elsewhere.json')]);
  expect(outcome).toMatchObject({ changed: ['it'], kept: [] });
});

test('the order of members does not matter, nor which entries are shadowed', () => {
  const one = { ...entry('it', 'a'), extras: { x: 1, y: 2 } };
  const other = { ...entry('it', 'a'), extras: { y: 2, x: 1 }, shadows: [one.provenance] };
  expect(compareEntries([one], [other])).toMatchObject({ kept: ['it'] });
});

test('every byte of an entry counts', () => {
  const one = entry('it', 'a');
  const others: readonly ServerEntry[] = [
    { ...one, enabled: false },
    { ...one, tools: { deny: ['x'] } },
    { ...one, timeouts: { requestMs: 1 } },
    { ...one, extras: { x: 1 } },
  ];
  for (const other of others) {
    expect(compareEntries([one], [other])).toMatchObject({ changed: ['it'] });
  }
});

test('every name is in exactly one part', () => {
  const some = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), command: fc.constantFrom('x', 'y') }),
    { selector: ({ name }) => name },
  );
  fc.assert(
    fc.property(some, some, (before, now) => {
      const [old, next] = [before, now].map((all) =>
        all.map((one) => entry(one.name, one.command)),
      );
      const { added, removed, changed, kept } = compareEntries(old ?? [], next ?? []);
      const names = new Set([...before, ...now].map(({ name }) => name));
      expect([...added, ...removed, ...changed, ...kept].toSorted()).toEqual([...names].toSorted());
    }),
  );
});

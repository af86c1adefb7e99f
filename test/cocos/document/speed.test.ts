import {
  checkTable,
  editTable,
  insertNode,
  parseTable,
  printTable,
  removeNode,
  SceneView,
  setValue,
} from '@mcp-kit/cocos/document';
import type { Resolve } from '@mcp-kit/cocos/document';
import { expect, test } from 'vitest';
import { branchUuid, instance, nodeWithComponent, sample } from '../../support/cocos/sample.ts';
import { cpuMs } from '../../support/cpu-time.ts';

/** The text of a scene of so many nodes with a component each, ten to a parent, and how its prefabs are found. */
function largeScene(nodes: number, instances: number): { text: string; resolve: Resolve } {
  const { scene, branch, resolve } = sample();
  const view = new SceneView(scene, resolve);
  const parents = [view.get('Canvas').index];
  for (let count = 0; count < nodes; count += 1) {
    const parent = parents[Math.floor(count / 10)] ?? view.root;
    parents.push(insertNode(view, nodeWithComponent(`Node${count}`), { parent }).index);
  }
  for (let count = 0; count < instances; count += 1) {
    const parent = parents[count * 3] ?? view.root;
    insertNode(view, instance(branch, branchUuid, `Branch${count}`), { parent });
  }
  return { text: printTable(scene), resolve };
}

/** The CPU time of the quickest of some rounds, in milliseconds. */
function quickest(work: () => void, rounds = 4): number {
  return Math.min(...Array.from({ length: rounds }, () => cpuMs(work)));
}

const large = largeScene(5000, 0);

test('A scene of 5,000 nodes is read, expanded, edited, printed and verified in three times what its JSON alone takes', () => {
  const { text, resolve } = large;
  const alone: number[] = [];
  const whole: number[] = [];
  // In turns, so that both meet the same machine.
  for (let round = 0; round < 4; round += 1) {
    alone.push(quickest(() => JSON.parse(JSON.stringify(JSON.parse(text), null, 2)), 1));
    whole.push(
      quickest(() => {
        const table = editTable(parseTable(text));
        const view = new SceneView(table, resolve);
        const node = view.get('Canvas/Node0/Node10').index;
        setValue(view, node, { path: ['_lpos', 'x'], value: 42 });
        const printed = printTable(table);
        expect(printed.length).toBe(text.length + 1);
        expect(checkTable(parseTable(printed))).toEqual([]);
      }, 1),
    );
  }
  const [least, took] = [Math.min(...alone), Math.min(...whole)];
  console.log(
    `${(text.length / 1e6).toFixed(1)} MB: ${took.toFixed(0)} ms, JSON ${least.toFixed(0)} ms`,
  );
  expect(took).toBeLessThan(3 * least);
});

test('A thousand instances with an instance in each are expanded at once', () => {
  const { text, resolve } = largeScene(1000, 1000);
  const table = parseTable(text);
  const time = quickest(() => {
    expect([...new SceneView(table, resolve).items()].length).toBeGreaterThan(8000);
  }, 2);
  console.log(`${time.toFixed(0)} ms`);
  expect(time).toBeLessThan(3000);
});

test('A thousand edits of a scene of 5,000 nodes do not expand it a thousand times', () => {
  const { text, resolve } = large;
  const time = quickest(() => {
    const view = new SceneView(editTable(parseTable(text)), resolve);
    const parent = view.get('Canvas/Node0/Node10').index;
    for (let count = 0; count < 1000; count += 1) {
      const { index } = insertNode(view, nodeWithComponent(`New${count}`), { parent });
      setValue(view, index, { path: ['_name'], value: `Named${count}` });
    }
    removeNode(view, parent);
  }, 2);
  console.log(`${time.toFixed(0)} ms`);
  expect(time).toBeLessThan(3000);
});

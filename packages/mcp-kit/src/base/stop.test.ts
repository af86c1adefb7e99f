import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Stop } from './async.ts';

test('fires once, with its first reason, for those who listen still', () => {
  const stop = new Stop();
  const heard: string[] = [];
  const leaves = (): void => void heard.push('left');
  stop.addEventListener('abort', () => heard.push('stayed'));
  stop.addEventListener('abort', leaves);
  stop.removeEventListener('abort', leaves);
  assert.deepEqual([stop.aborted, stop.reason], [false, undefined]);
  stop.abort('enough');
  stop.abort('again');
  assert.deepEqual([stop.aborted, stop.reason, heard], [true, 'enough', ['stayed']]);
});

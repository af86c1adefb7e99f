import { describe, expect, test, vi } from 'vitest';
import { createBudget, processBudget, type Budget, type HeldKind } from './budget.ts';

const kibibyte = 1024;

/** Holds that note when they are let go, which they allow unless they are busy. */
function holders(budget: Budget) {
  const gone: string[] = [];
  const busy = new Set<string>();
  const hold = (name: string, bytes: number, kind: HeldKind = 'sessions') => {
    const held = budget.hold(kind, bytes, {
      letGo() {
        if (busy.has(name)) return false;
        gone.push(name);
        held.resize(0);
        return true;
      },
    });
    return held;
  };
  return { gone, busy, hold };
}

test('what is held is counted by kind until it is given back', () => {
  const budget = createBudget(1000);
  const body = budget.hold('bodies', 300);
  const call = budget.hold('calls', 200);
  body.resize(400);
  expect(budget.used).toBe(600);
  expect(budget.held).toMatchObject({ bodies: 400, calls: 200, sessions: 0 });
  body.resize(0);
  body.resize(0);
  call.resize(0);
  expect(budget.used).toBe(0);
});

test('all together have a bound, and each kind half of it', () => {
  const budget = createBudget(1000);
  budget.hold('bodies', 400);
  expect([budget.admits('bodies', 100), budget.admits('bodies', 101)]).toEqual([true, false]);
  budget.hold('calls', 400);
  expect([budget.admits('unread', 200), budget.admits('unread', 201)]).toEqual([true, false]);
});

test('the limit is a quarter of the heap, and the same budget for all', () => {
  expect(processBudget()).toBe(processBudget());
  expect(processBudget().limit).toBe(createBudget().limit);
  expect(processBudget().limit).toBeGreaterThan(8 * kibibyte * kibibyte);
});

describe('for something new', () => {
  test('the largest goes first, and of about equal size the one that came first', () => {
    const budget = createBudget(160 * kibibyte);
    const { gone, busy, hold } = holders(budget);
    for (const name of ['a', 'b', 'c']) hold(name, 10 * kibibyte);
    hold('large', 38 * kibibyte);
    hold('small', 2 * kibibyte);
    expect(budget.admits('sessions', 10 * kibibyte)).toBe(true);
    expect(gone).toEqual([]);
    expect(budget.admits('sessions', 11 * kibibyte)).toBe(true);
    expect(gone).toEqual(['large']);
    busy.add('large');
    hold('large', 38 * kibibyte);
    expect(budget.admits('sessions', 12 * kibibyte)).toBe(true);
    expect(budget.admits('sessions', 30 * kibibyte)).toBe(false);
    expect(gone).toEqual(['large', 'a']);
    expect(budget.letGo.sessions).toBe(2);
  });

  test('what somebody is at stays, and others go instead', () => {
    const budget = createBudget(200 * kibibyte);
    const { gone, busy, hold } = holders(budget);
    hold('busy', 50 * kibibyte);
    hold('idle', 35 * kibibyte);
    busy.add('busy');
    expect(budget.admits('sessions', 40 * kibibyte)).toBe(true);
    expect(gone).toEqual(['idle']);
    expect(budget.admits('sessions', 60 * kibibyte)).toBe(false);
    busy.clear();
    expect(budget.admits('sessions', 60 * kibibyte)).toBe(true);
  });

  test('a few are asked at a time, and all in the end', () => {
    const budget = createBudget(2000 * kibibyte);
    const { gone, busy, hold } = holders(budget);
    const names = Array.from({ length: 83 }, (_, number) => String(number));
    for (const name of names) {
      busy.add(name);
      hold(name, 12 * kibibyte);
    }
    expect(budget.admits('sessions', 12 * kibibyte)).toBe(false);
    const asked = vi.spyOn(busy, 'has');
    expect(budget.admits('sessions', 12 * kibibyte)).toBe(false);
    expect(asked).toHaveBeenCalledTimes(8);
    for (const name of names.slice(80)) busy.delete(name);
    let tries = 1;
    while (!budget.admits('sessions', 12 * kibibyte) && tries < 100) tries += 1;
    expect(tries).toBeLessThanOrEqual(11);
    expect(gone).toHaveLength(1);
  });

  test('nothing ends for what is larger', () => {
    const budget = createBudget(200 * kibibyte);
    const { gone, busy, hold } = holders(budget);
    busy.add('growing');
    const growing = hold('growing', 70 * kibibyte);
    hold('small', 10 * kibibyte);
    expect(budget.admits('sessions', 25 * kibibyte, growing)).toBe(false);
    expect(gone).toEqual([]);
    expect(budget.admits('sessions', 25 * kibibyte)).toBe(false);
    expect(gone).toEqual([]);
    growing.resize(88 * kibibyte);
    expect(gone).toEqual([]);
    expect(budget.admits('sessions', 10 * kibibyte)).toBe(true);
    expect(gone).toEqual(['small']);
  });

  test('those of its kind go when that has its half, and others stay', () => {
    const budget = createBudget(200 * kibibyte);
    const { gone, hold } = holders(budget);
    hold('listen', 60 * kibibyte, 'listens');
    hold('session', 80 * kibibyte);
    expect(budget.admits('sessions', 30 * kibibyte)).toBe(true);
    expect(gone).toEqual(['session']);
  });
});

test('what grows makes room for itself, and calls do before it is too much', () => {
  const budget = createBudget(200 * kibibyte);
  const { gone, hold } = holders(budget);
  hold('session', 80 * kibibyte);
  hold('call', 70 * kibibyte, 'calls');
  const growing = budget.hold('unread', 10 * kibibyte);
  growing.resize(50 * kibibyte);
  expect(gone).toEqual([]);
  growing.resize(60 * kibibyte);
  expect(gone).toEqual(['call']);
  hold('new', 80 * kibibyte, 'calls');
  expect(gone).toEqual(['call', 'session']);
  expect(budget.used).toBe(140 * kibibyte);
  hold('newer', 90 * kibibyte, 'calls');
  expect(gone).toEqual(['call', 'session', 'new']);
});

test('what is let go is counted until it has given back, and not asked again', () => {
  const budget = createBudget(200 * kibibyte);
  let times = 0;
  const call = budget.hold('calls', 80 * kibibyte, {
    letGo() {
      times += 1;
      return true;
    },
  });
  expect(budget.admits('calls', 50 * kibibyte)).toBe(false);
  expect(budget.admits('calls', 50 * kibibyte)).toBe(false);
  call.resize(95 * kibibyte);
  expect(times).toBe(1);
  call.resize(0);
  expect(budget.admits('calls', 50 * kibibyte)).toBe(true);
  expect([budget.used, budget.letGo.calls]).toEqual([0, 1]);
});

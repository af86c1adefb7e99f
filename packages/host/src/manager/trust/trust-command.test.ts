import { execFileSync } from 'node:child_process';
import { constantFrom, assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { trustCommand } from './trust-command.ts';

test('an ordinary name stands as it is', () => {
  expect(trustCommand('approve', 'github')).toBe('mcpctl trust approve github');
  expect(trustCommand('diff', '@scope/server-2.0')).toBe('mcpctl trust diff @scope/server-2.0');
});

test('whatever a name is, a shell takes it for one word', () => {
  const odd = constantFrom('$(touch x)', '`id`', "a'b", 'a; rm -rf ~', 'a\nb', '', '~root', '*');
  const check = (name: string): void => {
    const words = trustCommand('approve', name).replace('mcpctl', 'printf "%s\\0"');
    const said = execFileSync('sh', ['-c', words], { encoding: 'utf8' });
    expect(said).toBe(`trust\0approve\0${name}\0`);
  };
  assert(property(odd, check), { numRuns: 30 });
  const letters = string({ unit: 'grapheme-ascii' }).filter((name) => !name.includes('\0'));
  assert(property(letters, check), { numRuns: 30 });
});

import { isRecord } from '#jsonrpc';
import type { Rule } from './rule.ts';

/** The names of the rules below. */
export type ProtocolRule = 'name-valid' | 'name-unique' | 'input-object';

const valid = /^[A-Za-z0-9_.-]{1,128}$/;

/** What the protocol says of tools: a client may refuse those that break it. */
export const protocolRules: Readonly<Record<ProtocolRule, Rule>> = {
  'name-valid': {
    level: 'error',
    protocol: true,
    demand: 'A name has up to 128 letters, digits, `_`, `-` and `.`.',
    check: ({ name }) =>
      valid.test(name)
        ? []
        : [{ message: 'its name has other characters, or is too long', hint: 'Rename it.' }],
  },
  'name-unique': {
    level: 'error',
    protocol: true,
    demand: 'No two tools have the same name.',
    checkSet(tools) {
      const names = tools.map(({ name }) => name);
      const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
      const message = 'another tool has the same name';
      return [...twice].map((tool) => ({ tool, message, hint: 'Clients call only one of them.' }));
    },
  },
  'input-object': {
    level: 'error',
    protocol: true,
    demand: 'The input schema is one of an object: `"type": "object"`.',
    check: ({ inputSchema }) =>
      isRecord(inputSchema) && inputSchema['type'] === 'object'
        ? []
        : [
            {
              message: 'its input schema is not one of an object',
              hint: 'Without arguments: { "type": "object" }.',
            },
          ],
  },
};

import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord } from '#jsonrpc';
import { mergeCapabilities, supports } from './capabilities.ts';
import { isAnswer, elicit, elicitUrl, listRoots, sample } from './inputs.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const junk = fc.jsonValue({ maxDepth: 1 });
const requests = [
  elicit({
    message: 'm',
    requestedSchema: {
      type: 'object',
      properties: { age: { type: 'integer' } },
      required: ['age'],
    },
  }),
  elicitUrl({ message: 'm', url: 'https://example.com' }),
  sample({ messages: [], maxTokens: 1 }),
  listRoots(),
];

describe('capabilities', () => {
  test.each([
    [{}, { sampling: {} }, false],
    [{ sampling: {} }, { sampling: {} }, true],
    [{ sampling: {} }, { sampling: { tools: {} } }, false],
    [{ sampling: { tools: {} } }, { sampling: { tools: {} } }, true],
    [{ elicitation: {} }, { elicitation: { form: {} } }, true],
    [{ elicitation: {} }, { elicitation: { url: {} } }, false],
    [{ elicitation: { url: {} } }, { elicitation: { form: {} } }, false],
    [{ roots: {} }, {}, true],
  ])('declared as %j cover %j: %s', (declared, needed, covered) => {
    expect(supports(declared, needed)).toBe(covered);
  });

  test('of any shape are judged without a throw, and every request of ours has a verdict', () => {
    const declared = fc.dictionary(fc.constantFrom('roots', 'sampling', 'elicitation', 'x'), junk);
    fc.assert(
      fc.property(declared, (claimed) => {
        for (const { needs } of requests) {
          const covered = supports(claimed, needs);
          if (covered) assert.ok(Object.keys(needs).every((name) => Object.hasOwn(claimed, name)));
        }
      }),
      { numRuns },
    );
  });

  test('of several features are joined', () => {
    const joined = mergeCapabilities([
      { tools: { listChanged: true } },
      { tools: {}, logging: {} },
    ]);
    expect(joined).toEqual({ tools: { listChanged: true }, logging: {} });
  });
});

describe('answers of a client', () => {
  test('of any shape are judged without a throw; only objects of the right kind pass', () => {
    const answer = fc.oneof(
      junk,
      fc.record(
        {
          action: fc.oneof(fc.constantFrom('accept', 'decline', 'cancel'), junk),
          content: fc.oneof(fc.record({ age: fc.oneof(fc.integer(), junk) }), junk),
          roots: fc.oneof(fc.constant([]), junk),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(answer, (value) => {
        for (const request of requests) {
          if (!isAnswer(request, value)) continue;
          assert.ok(isRecord(value));
          if (request.method === 'roots/list') assert.ok(Array.isArray(value['roots']));
          if (request !== requests[0] || value['action'] !== 'accept') continue;
          assert.ok(isRecord(value['content']) && Number.isInteger(value['content']['age']));
        }
      }),
      { numRuns },
    );
  });
});

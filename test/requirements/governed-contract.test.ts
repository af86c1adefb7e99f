import { describe, expect, test } from 'vitest';
import { toolContract, type ToolWorld } from 'mcp-kit/testing';
import { fail, tool, type Tool } from 'mcp-kit/tools';
import { Scene, sceneTools } from './governed-fixture.ts';

describe('the tools of the scene keep their contract', () => {
  const cases = toolContract(() => {
    const scene = new Scene();
    // Those that are there to break and to wait have nothing to show.
    const tools = sceneTools(scene).filter(({ layer }) => layer !== 'internal');
    return {
      tools,
      snapshot: () => [...scene.nodes],
      prepare(_tool, { title }) {
        scene.diskAway = title === 'no disk';
      },
    };
  });
  test.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe('a contract that is not kept is found out', () => {
  const head = {
    name: 'set_thing_state',
    description: 'Sets the state of the thing.',
    layer: 'core',
    category: 'thing',
    safety: 'mutating',
    examples: [{ input: {} }],
    input: { type: 'object', additionalProperties: false },
  } as const;
  let state = 0;
  const plan = (): {
    changes: { type: string; target: string; from: number }[];
    state: number;
  } => ({
    changes: [{ type: 'update', target: 'thing', from: state }],
    state,
  });
  const apply = (): void => {
    state += 1;
  };

  const failing = async (made: Tool, which: RegExp): Promise<string> => {
    const world = (): ToolWorld => ({ tools: [made], snapshot: () => state });
    const [found] = toolContract(world).filter(({ name }) => which.test(name));
    return found?.run().then(
      () => 'kept',
      (error: Error) => error.message,
    ) as Promise<string>;
  };

  test('and one that is, is not', async () => {
    const made = tool({ ...head, plan, apply });
    for (const which of [/example 1/, /declares/, /dry run/, /linter/]) {
      expect(await failing(made, which)).toBe('kept');
    }
  });

  test('a failure that no example shows', async () => {
    const made = tool({ ...head, errors: { E_NOT_FOUND: 'Never.' }, plan, apply });
    expect(await failing(made, /declares/)).toContain('E_NOT_FOUND');
  });

  test('a failure that its example does not reach', async () => {
    const examples = [{ input: {}, fails: 'E_NOT_FOUND' }] as const;
    const made = tool({ ...head, errors: { E_NOT_FOUND: 'Never.' }, examples, plan, apply });
    expect(await failing(made, /example 1/)).toContain('E_NOT_FOUND');
  });

  test('a failure that is not declared', async () => {
    const examples = [{ input: {}, fails: 'E_CONFLICT' }] as const;
    const refuse = (): never => {
      throw fail('E_CONFLICT', 'No.');
    };
    const made = tool({ ...head, examples, plan: refuse, apply });
    expect(await failing(made, /declares/)).toContain('E_CONFLICT');
  });

  test('a plan that changes something', async () => {
    const hasty = (): ReturnType<typeof plan> => {
      apply();
      return plan();
    };
    const made = tool({ ...head, plan: hasty, apply() {} });
    expect(await failing(made, /dry run/)).toContain('changed something');
  });

  test('a name against the rules', async () => {
    const made = tool({ ...head, name: 'put_thing', plan, apply });
    expect(await failing(made, /linter/)).toContain('name-verb');
  });
});

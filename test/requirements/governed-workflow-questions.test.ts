import { describe, expect, test } from 'vitest';
import { silentLogger } from 'mcp-kit/internal';
import { openSession, type Session } from 'mcp-kit/client';
import { elicit, type InputRequest } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { connectInMemory, memoryTarget } from 'mcp-kit/testing';
import { fail, toolSet, type Envelope } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { defineWorkflow, workflowTools, type Workflow } from 'mcp-kit/tools/workflow';

const question = (message: string): InputRequest<{ action: string; content?: unknown }> =>
  elicit({
    message,
    requestedSchema: { type: 'object', properties: { text: { type: 'string' } } },
  });

/** A site with a version on trial and one that everybody sees. */
class Site {
  trial = 'v1';
  live = 'v1';
  readonly events: string[] = [];
}

/** Puts a version on trial, asks whether it is good, and only then lets everybody see it. */
function releaseWorkflow(site: Site): Workflow {
  return defineWorkflow({
    name: 'workflow_update_site_version',
    description: 'Releases a version.',
    category: 'site',
    safety: 'mutating',
    input: { type: 'object', properties: { note: { type: 'string' } } },
    logger: silentLogger,
  })
    .stage('trial', {
      async plan(_known, context) {
        const { version } = await context.ask({ version: question('Which version?') });
        const { text } = version.content as { text: string };
        const changes = [{ type: 'update', target: 'trial', from: site.trial, to: text }];
        return { changes, state: site.trial, from: site.trial, to: text };
      },
      apply({ plan: { to } }) {
        site.events.push(`trial ${to}`);
        site.trial = to;
        return { version: to };
      },
      undo({ plan: { from } }) {
        site.events.push('undo trial');
        site.trial = from;
      },
    })
    .stage('live', {
      plan: ({ plans: { trial } }) => ({
        changes: [{ type: 'update', target: 'live', from: site.live, to: trial.to }],
        state: site.live,
      }),
      ask: ({ outputs: { trial } }) => ({ good: question(`Is ${trial.version} good?`) }),
      apply({ outputs: { trial }, answers }) {
        if (answers.good.action !== 'accept') throw fail('E_PRECONDITION_FAILED', 'It is not.');
        site.events.push(`live ${trial.version}`);
        site.live = trial.version;
      },
    });
}

interface Asking {
  readonly site: Site;
  readonly session: Session;
  readonly asked: readonly string[];
  ask(name: string, args?: object): Promise<Envelope>;
  [Symbol.asyncDispose](): Promise<void>;
}

async function start(era: 'legacy' | 'modern', isGood: boolean): Promise<Asking> {
  const site = new Site();
  const asked: string[] = [];
  const workflow = releaseWorkflow(site);
  const set = toolSet([workflow, ...workflowTools([workflow])], {
    contract: governed({ lint: 'off', checkResults: true }),
  });
  const server = createServer({ name: 's', version: '1', features: [set] });
  const session = await openSession(memoryTarget(server), {
    name: 't',
    version: '1',
    era,
    inputs: {
      elicit({ message }: { message: string }) {
        asked.push(message);
        const refused = message.startsWith('Is') && !isGood;
        return refused ? { action: 'decline' } : { action: 'accept', content: { text: 'v2' } };
      },
    },
  });
  return {
    site,
    session,
    asked,
    ask: async (name, args = {}) =>
      (await session.callTool(name, args as never)).structuredContent as Envelope,
    [Symbol.asyncDispose]: () => session.close(),
  };
}

const name = 'workflow_update_site_version';

describe.each(['legacy', 'modern'] as const)('a workflow that asks, with a %s client', (era) => {
  test('asks while it plans and between stages, waits, and does each stage once', async () => {
    await using asking = await start(era, true);
    const { success } = await asking.ask(name);
    expect(success).toBe(true);
    expect(asking.asked).toEqual(['Which version?', 'Is v2 good?']);
    expect(asking.site.events).toEqual(['trial v2', 'live v2']);
  });

  test('undoes what was done before when the user says no', async () => {
    await using asking = await start(era, false);
    const { error } = await asking.ask(name);
    expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED', stage: 'live' });
    expect(asking.site.events).toEqual(['trial v2', 'undo trial']);
    expect(asking.site).toMatchObject({ trial: 'v1', live: 'v1' });
  });

  test('is tried without the second question, and done with token and key as one call', async () => {
    await using asking = await start(era, true);
    const { data } = await asking.ask(name, { dryRun: true });
    expect(asking.asked).toEqual(['Which version?']);
    const { planToken } = data as { planToken: string };
    const args = { planToken, idempotencyKey: 'k' };
    expect(await asking.ask(name, args)).toMatchObject({ success: true });
    expect(asking.asked.slice(1)).toEqual(['Which version?', 'Is v2 good?']);
    expect(await asking.ask(name, args)).toMatchObject({ meta: { replayed: true } });
    expect(asking.site.events).toEqual(['trial v2', 'live v2']);
  });
});

const accept = { action: 'accept', content: { text: 'v2' } };

/** Asks up to the second question, which is then unanswered. */
async function untilSecondQuestion(args: object = {}): Promise<{
  readonly site: Site;
  readonly client: ReturnType<typeof connectInMemory>;
  readonly workflow: Workflow;
  readonly last: { readonly requestState: string; readonly inputRequests: object };
}> {
  const site = new Site();
  const workflow = releaseWorkflow(site);
  const set = toolSet([workflow, ...workflowTools([workflow])], {
    contract: governed({ lint: 'off' }),
  });
  const server = createServer({ name: 's', version: '1', features: [set] });
  const client = connectInMemory(server, { capabilities: { elicitation: {} } });
  const first = (await client.requestModern('tools/call', { name, arguments: args })) as {
    requestState: string;
  };
  const last = (await client.requestModern('tools/call', {
    name,
    arguments: args,
    requestState: first.requestState,
    inputResponses: { 'trial.version': accept },
  })) as { requestState: string; inputRequests: object };
  return { site, client, workflow, last };
}

test('an answer that comes twice in the modern era is one answer', async () => {
  const { site, client, last } = await untilSecondQuestion();
  try {
    expect(Object.keys(last.inputRequests)).toEqual(['live.good']);
    const inputResponses = { 'live.good': accept };
    const { requestState } = last;
    const answer = { name, arguments: {}, requestState, inputResponses };
    const done = await client.requestModern('tools/call', answer);
    const again = await client.requestModern('tools/call', answer);
    expect(done).toMatchObject({ structuredContent: { success: true } });
    const { data } = (again as { structuredContent: Envelope }).structuredContent;
    expect(data).toEqual((done as { structuredContent: Envelope }).structuredContent.data);
    expect(site.events).toEqual(['trial v2', 'live v2']);
  } finally {
    await client.close();
  }
});

test('while a run waits its key is known: other arguments are a conflict, the same ones go on with it', async () => {
  const idempotencyKey = 'k';
  const { site, client, last } = await untilSecondQuestion({ note: 'a', idempotencyKey });
  try {
    expect(Object.keys(last.inputRequests)).toEqual(['live.good']);
    const ask = async (note: string, answer: object = {}): Promise<unknown> =>
      client.requestModern('tools/call', { name, arguments: { note, idempotencyKey }, ...answer });
    const conflict = { error: { code: 'E_CONFLICT', retryable: false } };
    expect(await ask('b')).toMatchObject({ structuredContent: conflict });
    const again = await ask('a');
    expect(again).toMatchObject({ inputRequests: { 'live.good': {} } });
    expect(site.events).toEqual(['trial v2']);
    const { requestState } = again as typeof last;
    const answer = { requestState, inputResponses: { 'live.good': accept } };
    expect(await ask('a', answer)).toMatchObject({ structuredContent: { success: true } });
    expect(await ask('a')).toMatchObject({ structuredContent: { meta: { replayed: true } } });
    expect(site.events).toEqual(['trial v2', 'live v2']);
  } finally {
    await client.close();
  }
});

test('a run that is refused after it waited is taken back, and its key says so', async () => {
  const args = { note: 'a', idempotencyKey: 'k' };
  const { site, client, last } = await untilSecondQuestion(args);
  try {
    const ask = async (answer: object = {}): Promise<unknown> =>
      client.requestModern('tools/call', { name, arguments: args, ...answer });
    const { requestState } = last;
    const answer = { requestState, inputResponses: { 'live.good': { action: 'decline' } } };
    const refused = { error: { code: 'E_PRECONDITION_FAILED', stage: 'live' } };
    expect(await ask(answer)).toMatchObject({ structuredContent: refused });
    expect(await ask()).toMatchObject({
      structuredContent: { ...refused, meta: { replayed: true } },
    });
    expect(site.events).toEqual(['trial v2', 'undo trial']);
  } finally {
    await client.close();
  }
});

test('a question that nobody answers leaves a run that can be undone, or resumed by a call', async () => {
  const { site, client, workflow } = await untilSecondQuestion();
  try {
    const [{ runId } = { runId: '' }] = await workflow.runs();
    await expect(workflow.resume(runId)).rejects.toMatchObject({
      failure: { code: 'E_PRECONDITION_FAILED' },
    });
    const resume = { name: 'execute_workflow_resume', arguments: { runId } };
    const asked = (await client.requestModern('tools/call', resume)) as { requestState: string };
    expect(asked).toMatchObject({ inputRequests: { 'live.good': {} } });
    expect(site.events).toEqual(['trial v2']);
    const undone = await workflow.undo(runId);
    expect(undone).toMatchObject({ status: 'undone' });
    expect(site.trial).toBe('v1');
  } finally {
    await client.close();
  }
});

test('a client that cannot be asked is told so, and nothing is left', async () => {
  const site = new Site();
  const workflow = defineWorkflow({
    name: 'workflow_update_site_version',
    description: 'Asks in the middle.',
    safety: 'mutating',
    logger: silentLogger,
  })
    .stage('one', {
      plan: () => ({ changes: [{ type: 'update', target: 'trial' }] }),
      apply: () => void site.events.push('one'),
      undo: () => void site.events.push('undo one'),
    })
    .stage('two', {
      plan: () => ({ changes: [] }),
      ask: () => ({ sure: question('Sure?') }),
      apply: () => void site.events.push('two'),
    });
  const set = toolSet([workflow], { contract: governed({ lint: 'off' }) });
  const client = connectInMemory(createServer({ name: 's', version: '1', features: [set] }));
  try {
    const answer = await client.requestModern('tools/call', { name, arguments: {} });
    expect(answer).toMatchObject({
      structuredContent: { error: { code: 'E_PRECONDITION_FAILED', stage: 'two' } },
    });
    expect(site.events).toEqual(['one', 'undo one']);
  } finally {
    await client.close();
  }
});

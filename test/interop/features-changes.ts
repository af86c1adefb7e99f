import { expect } from 'vitest';
import { allTools, type FeatureCase } from './features-tools.ts';
import type { Session } from './hosts.ts';
import type { SdkSubscription, SdkV2Client } from './peers.mjs';

const kinds = ['tools', 'prompts', 'resources'] as const;
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

let changes = 0;
const newName = (): string => `extra_${process.pid}_${++changes}`;

function listen(session: Session, filter: object): Promise<SdkSubscription> {
  // Only the newer SDK has clients of this era.
  return (session.client as SdkV2Client).listen(filter);
}

const legacy: readonly FeatureCase[] = [
  ...kinds.map((kind) => ({
    name: `a change of ${kind} is told to whoever is connected`,
    era: 'legacy' as const,
    async run(session: Session) {
      session.inbox.clear();
      await session.call('change_list', { kind, name: newName() });
      await session.inbox.next(`notifications/${kind}/list_changed`);
    },
  })),
  {
    name: 'an update is told to those who subscribed, until they unsubscribe',
    era: 'legacy',
    async run(session) {
      const { client, inbox } = session;
      inbox.clear();
      const touch = (name: string) => session.call('touch', { uri: `memo://${name}` });
      await client.subscribeResource({ uri: 'memo://one' });
      await touch('two');
      await touch('one');
      await inbox.next('notifications/resources/updated');
      await client.unsubscribeResource({ uri: 'memo://one' });
      await touch('one');
      await client.subscribeResource({ uri: 'memo://two' });
      await touch('two');
      const isTwo = inbox.next(
        'notifications/resources/updated',
        ({ params }) => params?.['uri'] === 'memo://two',
      );
      await isTwo;
      await client.unsubscribeResource({ uri: 'memo://two' });
      const uris = inbox.of('notifications/resources/updated').map(({ params }) => params?.['uri']);
      expect(uris).toEqual(['memo://one', 'memo://two']);
    },
  },
];

const modern: readonly FeatureCase[] = [
  {
    name: 'a subscription is told of what it asked for, and of nothing else',
    era: 'modern',
    async run(session) {
      session.inbox.clear();
      const filter = { promptsListChanged: true, resourceSubscriptions: ['memo://one'] };
      const subscription = await listen(session, filter);
      expect(subscription.honoredFilter).toEqual(filter);
      await session.call('change_list', { kind: 'tools', name: newName() });
      await session.call('touch', { uri: 'memo://two' });
      await session.call('touch', { uri: 'memo://one' });
      await session.call('change_list', { kind: 'prompts', name: newName() });
      const last = await session.inbox.next('notifications/prompts/list_changed');
      expect(session.inbox.all.map(({ method, params }) => [method, params?.['uri']])).toEqual([
        ['notifications/resources/updated', 'memo://one'],
        ['notifications/prompts/list_changed', undefined],
      ]);
      expect(last.params?.['_meta']).toHaveProperty([subscriptionId]);
      await subscription.close();
      expect(await subscription.closed).toBe('local');
    },
  },
  {
    name: 'a closed subscription is silent, and another may be opened',
    era: 'modern',
    async run(session) {
      session.inbox.clear();
      const first = await listen(session, { toolsListChanged: true });
      await first.close();
      const second = await listen(session, { resourcesListChanged: true });
      await session.call('change_list', { kind: 'tools', name: newName() });
      await session.call('change_list', { kind: 'resources', name: newName() });
      await session.inbox.next('notifications/resources/list_changed');
      expect(session.inbox.of('notifications/tools/list_changed')).toEqual([]);
      await second.close();
    },
  },
  {
    name: 'two subscriptions are told apart',
    era: 'modern',
    async run(session) {
      session.inbox.clear();
      const [one, two] = await Promise.all([
        listen(session, { toolsListChanged: true }),
        listen(session, { toolsListChanged: true }),
      ]);
      await session.call('change_list', { kind: 'tools', name: newName() });
      const both = () =>
        new Set(
          session.inbox
            .of('notifications/tools/list_changed')
            .map(({ params }) => JSON.stringify(params?.['_meta'])),
        ).size === 2;
      await session.inbox.next('notifications/tools/list_changed', both);
      await Promise.all([one.close(), two.close()]);
    },
  },
];

export const changeFeatures: readonly FeatureCase[] = [
  ...legacy,
  ...modern,
  {
    name: 'what was added is listed and can be called',
    async run(session) {
      const name = newName();
      await session.call('change_list', { kind: 'tools', name });
      expect(await allTools(session)).toContain(name);
      expect(await session.call(name)).toMatchObject({ content: [{ type: 'text', text: name }] });
    },
  },
];

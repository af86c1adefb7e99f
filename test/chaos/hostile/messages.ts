import type { Random } from './random.ts';
import { anyId, anyValue, members, word } from './values.ts';

export const versions: readonly string[] = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '1.0',
  '',
];

export const text = (random: Random): string => JSON.stringify(word(random));

/** One of these as a rule, and now and then any word. */
export const maybe = (random: Random, known: readonly string[]): string =>
  random.chance(0.9) ? JSON.stringify(random.pick(known)) : text(random);

const told: readonly string[] = [
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/elicitation/complete',
  'notifications/tasks/status',
  'notifications/subscriptions/acknowledged',
  'made/up',
];

/** Either side tells something: of requests that are under way, that were, or that never were. */
export function notification(random: Random, method = random.pick(told)): string {
  const params = members(random, {
    requestId: anyId(random),
    progressToken: anyId(random),
    progress: String(random.below(100)),
    uri: '"test://file"',
    level: '"info"',
    data: anyValue(random),
    ...(random.chance(0.2)
      ? { _meta: members(random, { 'io.modelcontextprotocol/subscriptionId': anyId(random) }) }
      : {}),
  });
  return members(random, { jsonrpc: '"2.0"', method: JSON.stringify(method), params });
}

/** Either side answers what it was asked, or not. */
export function response(random: Random): string {
  const outcome = random.chance(0.5)
    ? { result: anyValue(random) }
    : { error: random.chance(0.6) ? '{"code":-32000,"message":"no"}' : anyValue(random) };
  return members(random, { jsonrpc: '"2.0"', id: anyId(random), ...outcome });
}

export type { GatewayCatalog, Item, Refused } from './catalog.ts';
export { gateway, type Gateway, type GatewayOptions } from './gateway.ts';
export type { AskPerson, PolicyAnswer, PolicyQuestion } from './policy/ask.ts';
export { questionText } from './policy/ask.ts';
export { effectOf } from './policy/effect.ts';
export type { Decided } from './policy/layer.ts';
export { createPolicy, type PlacedRule, type Policy, type PolicySubject } from './policy/policy.ts';
export type { GatewayStatus, UpstreamStatus } from './status.ts';

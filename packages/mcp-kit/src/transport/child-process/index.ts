export { childTarget, type ChildOptions } from './child-target.ts';
export type { EnvironmentOptions } from './environment.ts';
export type { StopOptions } from './process-group.ts';
export type { StdoutLogOptions } from './stdout-log.ts';

export { childTarget, type ChildOptions } from './child-target.ts';

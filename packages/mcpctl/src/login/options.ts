import type { Options } from '../args.ts';

/** Whose login is meant, where each principal of a gateway has one. */
export const principalOption = {
  principal: {
    type: 'string',
    value: 'NAME',
    help: 'The login of this principal, where a gateway has each log in by themselves.',
  },
} as const satisfies Options;

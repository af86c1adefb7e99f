import type { Loose } from '#cocos/backend';

/** A value as a type says it that knows of no undefined members: as JSON, and to whoever reads them, they are not there. */
export const exact = <Type>(value: Loose<Type>): Type => value as Type;

import { alignFlags, type ComponentSpec } from '#cocos/components';
import { CocosError, type Json } from '#cocos/document';

const { TOP, MID, BOT, LEFT, CENTER, RIGHT } = alignFlags;

/** What scripts set one by one, and files store as the bits of `alignFlags`: those that come, and those that go with them. */
const sides: Readonly<Record<string, { readonly on: number; readonly off?: number | undefined }>> =
  {
    isAlignTop: { on: TOP },
    isAlignBottom: { on: BOT },
    isAlignLeft: { on: LEFT },
    isAlignRight: { on: RIGHT },
    isAlignVerticalCenter: { on: MID, off: TOP | BOT },
    isAlignHorizontalCenter: { on: CENTER, off: LEFT | RIGHT },
    isStretchHeight: { on: TOP | BOT, off: MID },
    isStretchWidth: { on: LEFT | RIGHT, off: CENTER },
  };

/** Properties of a Widget with `alignFlags` in place of the names that scripts have for its bits. */
export function withAlignFlags(
  { type }: ComponentSpec,
  properties: Readonly<Record<string, Json>>,
  current: Json | undefined,
): Readonly<Record<string, Json>> {
  const named = Object.keys(properties).filter((name) => Object.hasOwn(sides, name));
  if (type !== 'cc.Widget' || named.length === 0) return properties;
  const others = Object.entries(properties).filter(([name]) => !named.includes(name));
  if (others.some(([name]) => name === 'alignFlags' || name === '_alignFlags')) {
    throw new CocosError('E_INVALID_ARGUMENT', `alignFlags and ${named[0]} say the same.`, {
      suggestion: 'Leave out one of them: alignFlags is all sides at once, ["TOP", "LEFT"].',
    });
  }
  let flags = typeof current === 'number' ? current : 0;
  for (const name of named) {
    const { on = 0, off = 0 } = sides[name] ?? {};
    const value = properties[name];
    if (typeof value !== 'boolean') {
      throw new CocosError('E_INVALID_ARGUMENT', `cc.Widget.${name} must be true or false.`);
    }
    flags = value ? (flags & ~off) | on : flags & ~on;
  }
  return { ...Object.fromEntries(others), alignFlags: flags };
}

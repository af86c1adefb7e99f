import type { CocosBackend } from '#cocos/backend';
import type { Tool } from 'mcp-kit/tools';
import { readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  closedObject,
  count,
  flag,
  instanceUuid,
  limit,
  object,
  offset,
  ofInstance,
  scenePath,
  text,
} from './schemas.ts';
import { goesOn, howMany, lines, valueText } from './show.ts';

const category = 'prefab';

export function listPrefabOverrides(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_prefab_overrides',
    description:
      'Lists what a prefab instance has other than its prefab: properties, references, added and removed parts.',
    category,
    riskLevel: 'low',
    ...ofInstance,
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid: instanceUuid,
      includeReserved: {
        ...flag,
        description: 'With name and place of the root, which every instance has. Default false.',
      },
      offset,
      limit,
    }),
    output: object(['scenePath', 'overrides', 'total'], {
      scenePath: text,
      overrides: {
        type: 'array',
        items: object(['kind', 'property', 'reserved'], {
          kind: text,
          targetUuid: text,
          path: text,
          property: text,
          value: {},
          reserved: flag,
        }),
      },
      total: count,
      nextOffset: count,
    }),
    show: ({ overrides, ...page }) =>
      lines(
        howMany(page.total, 'override'),
        overrides.map(
          ({ kind, path, property, value }) =>
            `${kind} ${[path, property].filter(Boolean).join(' ')}${value === undefined ? '' : `: ${valueText(value)}`}`,
        ),
        goesOn(page),
      ),
    async run({ includeReserved = false, ...args }) {
      const { path: scene } = await backend.document(args.scenePath);
      const all = await backend.overrides(scene, args.nodeUuid);
      const shown = all.filter(({ reserved }) => includeReserved || !reserved);
      const { items, ...page } = pageOf(shown, args);
      return { scenePath: scene, overrides: items, ...page };
    },
  });
}

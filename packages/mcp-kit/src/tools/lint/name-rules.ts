import { nearMiss } from '#schema';
import type { LintedTool, Rule } from './rule.ts';

const readVerbs = ['get', 'list', 'find', 'validate'];
const writeVerbs = ['create', 'set', 'update', 'delete', 'move', 'execute', 'workflow'];

/** The verbs a tool's name may begin with. */
const verbs: readonly string[] = [...readVerbs, ...writeVerbs];

/** Which verb of the list says the same as one that is not on it. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    get: 'read fetch query load show describe retrieve view',
    list: 'ls enumerate',
    find: 'search lookup locate',
    validate: 'check verify test lint',
    create: 'add new make insert generate import',
    set: 'put assign write configure',
    update: 'edit modify change patch save',
    delete: 'remove destroy drop erase rm clear',
    move: 'rename relocate',
    execute: 'run do call invoke perform open close start stop send',
  }).flatMap(([verb, others]) => others.split(' ').map((other) => [other, verb] as const)),
);

/** Pairs of listed verbs that are the same to whoever has to choose. */
const alike: readonly (readonly [string, string])[] = [
  ['get', 'find'],
  ['set', 'update'],
];

const format = /^[a-z][a-z0-9]*(?:_[a-z0-9]+){2,}$/;

/** The words of a name, also where they are joined as others do: get-note, getNote. */
const wordsOf = (name: string): readonly string[] =>
  name
    .split(/[^a-zA-Z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

const verbOf = ({ name }: LintedTool): string => wordsOf(name)[0] ?? '';
const objectOf = ({ name }: LintedTool): string => name.split('_').slice(1).join('_');

function betterName(name: string): string {
  const joined = wordsOf(name).join('_');
  return format.test(joined) ? `Use "${joined}".` : 'For example get_note_text.';
}

/** The names of the rules below. */
export type NameRule = 'name-format' | 'name-verb' | 'name-verb-safety' | 'name-synonym';

export const nameRules: Readonly<Record<NameRule, Rule>> = {
  'name-format': {
    level: 'error',
    demand: 'A name is `<verb>_<domain>_<object>[_<qualifier>]`, in lower case.',
    check: ({ name }) =>
      format.test(name) || (name.startsWith('workflow_') && /^[a-z0-9_]+$/.test(name))
        ? []
        : [
            {
              message: `the name "${name}" is not <verb>_<domain>_<object>`,
              hint: betterName(name),
            },
          ],
  },
  'name-verb': {
    level: 'error',
    demand: `A name begins with one of: ${verbs.join(', ')}.`,
    check(tool) {
      const verb = verbOf(tool);
      if (verbs.includes(verb)) return [];
      const meant = synonyms.get(verb) ?? nearMiss(verb, verbs);
      return [
        {
          message: `"${verb}" is not one of the verbs`,
          hint: meant === undefined ? `Use one of ${verbs.join(', ')}.` : `Use "${meant}".`,
        },
      ];
    },
  },
  'name-verb-safety': {
    level: 'error',
    governed: true,
    demand: `Tools that only read begin with ${readVerbs.join(', ')}; tools that write with the others.`,
    check(tool) {
      const verb = verbOf(tool);
      if (!verbs.includes(verb)) return [];
      const reads = tool.safety === 'readonly';
      if (reads === readVerbs.includes(verb)) return [];
      const [kind, fitting] = reads ? ['reads', readVerbs] : ['writes', writeVerbs];
      return [
        { message: `it ${kind}, but begins with "${verb}"`, hint: `Use ${fitting.join(', ')}.` },
      ];
    },
  },
  'name-synonym': {
    level: 'error',
    demand: 'No two tools do the same to the same thing under verbs that mean the same.',
    checkSet(tools) {
      const names = new Set(tools.map(({ name }) => name));
      return tools.flatMap((tool) =>
        alike
          .filter(([one, other]) => verbOf(tool) === other && names.has(`${one}_${objectOf(tool)}`))
          .map(([one]) => ({
            tool: tool.name,
            message: `there is also ${one}_${objectOf(tool)}`,
            hint: 'Keep one of them, without an alias.',
          })),
      );
    },
  },
};

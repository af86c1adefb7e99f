import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import { propertiesIn, type Property, type Remark, type Rule } from './rule.ts';

const camelCase = /^[a-z][a-zA-Z0-9]*$/;
const axes = ['x', 'y', 'z', 'w'];

/** Every property that a test objects to, as remarks. */
function remarks(
  schema: JsonSchema,
  object: (property: Property) => Omit<Remark, 'path'> | undefined,
): readonly Remark[] {
  return propertiesIn(schema).flatMap((property) => {
    const remark = object(property);
    return remark === undefined ? [] : [{ ...remark, path: property.path }];
  });
}

function namesIn(schema: JsonSchema): readonly string[] {
  return propertiesIn(schema).map(({ name }) => name);
}

/** A text that may only be a word for true or false, or whose name asks a question. */
function isStringBoolean({ name, schema }: Property): boolean {
  const { enum: values, type } = schema;
  if (Array.isArray(values) && values.length > 0) {
    const words = values.filter((value) => typeof value === 'string');
    return words.length > 0 && words.every((word) => /^(?:true|false|yes|no|on|off)$/i.test(word));
  }
  return type === 'string' && /^(?:is|has|should|enable)[A-Z]/.test(name);
}

/** A number, a choice or a yes is no point that was written otherwise. */
function mayBeVector({ type, enum: values }: JsonSchema): boolean {
  return values === undefined && !/^(?:number|integer|boolean)$/.test(String(type));
}

function isVector(schema: JsonSchema): boolean {
  const { type, properties } = schema;
  if (type !== 'object' || !isRecord(properties)) return false;
  const names = Object.keys(properties);
  return names.includes('x') && names.includes('y') && names.every((name) => axes.includes(name));
}

/** The names of the rules below. */
export type ParameterRule =
  | 'parameter-case'
  | 'parameter-name'
  | 'parameter-boolean'
  | 'parameter-coordinates'
  | 'parameter-described';

export const parameterRules: Readonly<Record<ParameterRule, Rule>> = {
  'parameter-case': {
    level: 'error',
    demand: 'Arguments are named in camelCase.',
    check: ({ inputSchema }) =>
      remarks(inputSchema, ({ name }) =>
        camelCase.test(name)
          ? undefined
          : { message: `argument "${name}" is not in camelCase`, hint: 'For example nodeUuid.' },
      ),
  },
  'parameter-name': {
    level: 'error',
    demand: 'The same thing has the same name in all tools.',
    checkSet(tools, { parameterNames }) {
      const used = new Set(tools.flatMap(({ inputSchema }) => namesIn(inputSchema)));
      return tools.flatMap(({ name: tool, layer, inputSchema }) => {
        const found = remarks(inputSchema, ({ name }) => {
          const agreed = Object.hasOwn(parameterNames, name) ? parameterNames[name] : undefined;
          // Servers of others have agreed on nothing, unless they use that name as well.
          if (agreed === undefined || (layer === undefined && !used.has(agreed))) return undefined;
          return { message: `argument "${name}" is called otherwise`, hint: `Use "${agreed}".` };
        });
        return found.map((remark) => ({ ...remark, tool }));
      });
    },
  },
  'parameter-boolean': {
    level: 'error',
    demand: 'What is true or false is a boolean, not a text.',
    check: ({ inputSchema }) =>
      remarks(inputSchema, (property) =>
        isStringBoolean(property)
          ? {
              message: `argument "${property.name}" is a text that says true or false`,
              hint: 'Use { "type": "boolean" }.',
            }
          : undefined,
      ),
  },
  'parameter-coordinates': {
    level: 'error',
    demand: 'Points, rotations and scales are objects of numbers: `{ x, y, z }`.',
    check: ({ inputSchema }, { coordinates }) =>
      remarks(inputSchema, ({ name, schema }) =>
        coordinates.includes(name) && mayBeVector(schema) && !isVector(schema)
          ? {
              message: `argument "${name}" is not an object of x, y and z`,
              hint: 'Use an object with numbers for x, y and, in space, z.',
            }
          : undefined,
      ),
  },
  'parameter-described': {
    level: 'warning',
    demand: 'Every argument says what it is for.',
    check: ({ inputSchema }) =>
      remarks(inputSchema, ({ name, path, schema }) =>
        path.includes('.') || path.includes('[') || typeof schema['description'] === 'string'
          ? undefined
          : {
              message: `argument "${name}" has no description`,
              hint: 'Say what it is, its unit, and its default.',
            },
      ),
  },
};

import { KitError } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import { foreignSchema } from '#schema';
import type { LintedTool, Remark, Rule } from './rule.ts';

const writes = ({ safety }: LintedTool): boolean => safety !== undefined && safety !== 'readonly';

/** The schema of the data in an envelope, as a list of what it may be. */
function dataSchemas({ outputSchema }: LintedTool): readonly JsonSchema[] {
  const properties: unknown = outputSchema?.['properties'];
  const data: unknown = isRecord(properties) ? properties['data'] : undefined;
  if (!isRecord(data)) return [];
  const { anyOf } = data;
  return Array.isArray(anyOf) ? anyOf.filter((branch) => isRecord(branch)) : [data];
}

function dataHas(tool: LintedTool, name: string): boolean {
  return dataSchemas(tool).some(({ properties }) => isRecord(properties) && name in properties);
}

const missing = (message: string, hint: string): readonly Remark[] => [{ message, hint }];

/** Which examples do not fit the schema they are to explain; those that show a wrong argument may. */
function wrongExamples(tool: LintedTool): readonly Remark[] {
  // Servers of others have none, and schemas that may not compile.
  if (tool.examples === undefined || tool.examples.length === 0) return [];
  try {
    return tryExamples(tool);
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    return missing(`its examples cannot be tried: ${error.message}`, error.hint ?? 'Correct it.');
  }
}

/** The tools may be anybody's: patterns are not run, and what takes too long is not tried. */
function tryExamples({ name, inputSchema, examples = [] }: LintedTool): readonly Remark[] {
  const check = foreignSchema(inputSchema, `input of ${name}`);
  return examples.flatMap(({ input, fails }, index) => {
    const [issue] = fails === 'E_INVALID_ARGUMENT' ? [] : check(input).issues;
    return issue === undefined
      ? []
      : [{ message: `example ${index + 1} does not fit: ${issue.message}` }];
  });
}

/** The names of the rules below. */
export type TraitRule =
  | 'description-there'
  | 'category-there'
  | 'input-closed'
  | 'core-output'
  | 'core-examples'
  | 'example-fits'
  | 'advanced-risk'
  | 'write-dry-run'
  | 'write-changes'
  | 'write-risk'
  | 'core-few';

/** Two words, or some letters of a script that puts no spaces between words. */
const isSentence = /\S\s+\S|\p{Lo}{4}/u;

export const traitRules: Readonly<Record<TraitRule, Rule>> = {
  'description-there': {
    level: 'error',
    demand: 'A description says what the tool does, in a sentence.',
    check: ({ description = '' }) =>
      isSentence.test(description)
        ? []
        : missing(
            description.trim() === '' ? 'it has no description' : 'its description is one word',
            'A model chooses by it: say what the tool does.',
          ),
  },
  'category-there': {
    level: 'warning',
    governed: true,
    demand: 'A tool belongs to a category.',
    check: ({ category }) =>
      category !== undefined && category !== 'general'
        ? []
        : missing('it has no category', 'Say what it is about: node, file, text.'),
  },
  'input-closed': {
    level: 'warning',
    governed: true,
    demand: 'Arguments that are not known are refused.',
    check: ({ inputSchema }) =>
      inputSchema['additionalProperties'] === false ||
      inputSchema['unevaluatedProperties'] === false
        ? []
        : missing('it takes any argument', 'Set "additionalProperties": false.'),
  },
  'core-output': {
    level: 'error',
    governed: true,
    demand: 'A core tool or a workflow describes its data with an output schema.',
    check: (tool) =>
      tool.layer !== 'core' || dataSchemas(tool).some(({ type, enum: values }) => type ?? values)
        ? []
        : missing('its data is not described', 'Give it an output schema.'),
  },
  'core-examples': {
    level: 'error',
    governed: true,
    demand: 'A core tool has an example; a workflow has two.',
    check({ name, layer, examples = [] }) {
      const least = name.startsWith('workflow_') ? 2 : layer === 'core' ? 1 : 0;
      return examples.length >= least
        ? []
        : missing(`it has ${examples.length} examples of at least ${least}`, 'Add examples.');
    },
  },
  'example-fits': {
    level: 'error',
    protocol: true,
    demand: 'Examples fit the input schema.',
    check: wrongExamples,
  },
  'advanced-risk': {
    level: 'error',
    governed: true,
    demand: 'An advanced tool says its risk level and what must be so before.',
    check({ layer, riskLevel, prerequisites = [] }) {
      if (layer !== 'advanced') return [];
      if (riskLevel === undefined) return missing('it says no riskLevel', 'low, medium or high.');
      return prerequisites.length > 0
        ? []
        : missing('it says no prerequisites', 'For example sceneReady=true.');
    },
  },
  'write-dry-run': {
    level: 'error',
    governed: true,
    demand: 'A tool that writes can be tried with `dryRun`, or says `supportsDryRun: false`.',
    check(tool) {
      if (!writes(tool)) return [];
      const { properties } = tool.inputSchema;
      const takes = isRecord(properties) && 'dryRun' in properties;
      return takes === (tool.supportsDryRun === true)
        ? []
        : missing(
            takes
              ? 'it takes dryRun but does not say so'
              : 'it says it has a dry run, but has none',
            'Give it plan and apply instead of run.',
          );
    },
  },
  'write-changes': {
    level: 'error',
    governed: true,
    demand: 'A tool that writes answers with `changes[]`.',
    check: (tool) =>
      !writes(tool) || dataHas(tool, 'changes')
        ? []
        : missing(
            'its data has no changes',
            'Give it plan and apply, or say in output what changed.',
          ),
  },
  'write-risk': {
    level: 'error',
    governed: true,
    demand: '`delete_*` and destructive `execute_*` answer with a `riskLevel`.',
    check(tool) {
      const destroys = tool.name.startsWith('execute_') && tool.safety === 'destructive';
      return (!tool.name.startsWith('delete_') && !destroys) || dataHas(tool, 'riskLevel')
        ? []
        : missing('its data has no riskLevel', 'Give it plan and apply.');
    },
  },
  'core-few': {
    level: 'warning',
    governed: true,
    demand: 'There are few core tools, so that a model finds the right one.',
    checkSet(tools, { maxCoreTools }) {
      const core = tools.filter(({ layer }) => layer === 'core');
      return core.slice(maxCoreTools).map(({ name }, index) => ({
        tool: name,
        message: `it is core tool ${maxCoreTools + index + 1} of at most ${maxCoreTools}`,
        hint: 'Make rarely used tools advanced.',
      }));
    },
  },
};

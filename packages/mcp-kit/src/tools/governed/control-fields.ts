import { chain, KitError, type MaybePromise } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import { slipFinder, type Issue } from '#schema';
import { invalidArguments } from '../call.ts';
import type { Outcome } from '../contract/contract.ts';
import type { Entry } from '../entry.ts';
import { isWriting } from '../manifest/manifest.ts';
import type { Wrap } from './layer.ts';

/** The arguments that the framework gives every writing tool, and keeps from it. */
export interface Control {
  readonly dryRun: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly clientTag?: string | undefined;
  readonly planToken?: string | undefined;
}

export const noControl: Control = { dryRun: false };

const maxTimeoutMs = 24 * 60 * 60_000;

interface Field {
  readonly schema: JsonSchema;
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const textOf = (least: number, most: number): Omit<Field, 'schema'> => ({
  expected: `a string of ${least} to ${most} characters`,
  fits: (value) => typeof value === 'string' && value.length >= least && value.length <= most,
});

const fields: Readonly<Record<keyof Control, Field>> = {
  dryRun: {
    schema: {
      type: 'boolean',
      default: false,
      description: 'True: say what would change, and change nothing.',
    },
    expected: 'boolean',
    fits: (value) => typeof value === 'boolean',
  },
  planToken: {
    schema: {
      type: 'string',
      maxLength: 200,
      description: 'From a dry run with the same arguments: do exactly that, or nothing.',
    },
    ...textOf(1, 200),
  },
  idempotencyKey: {
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Any text of yours that names this call: repeating it does not do it twice.',
    },
    ...textOf(1, 200),
  },
  timeoutMs: {
    schema: {
      type: 'integer',
      minimum: 1,
      maximum: maxTimeoutMs,
      description: 'How long to wait at most.',
    },
    expected: `an integer from 1 to ${maxTimeoutMs}`,
    fits: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxTimeoutMs,
  },
  clientTag: {
    schema: {
      type: 'string',
      maxLength: 100,
      description: 'Any text of yours, found again in traces.',
    },
    ...textOf(0, 100),
  },
};

/** The names that only the framework gives to arguments of writing tools. */
const controlNames: readonly string[] = Object.keys(fields);

const meantControl = slipFinder(controlNames);

const previewing: ReadonlySet<string> = new Set(['dryRun', 'planToken']);

/** The input schema of a writing tool as callers see it. */
export function withControlFields({ tool, input }: Entry): JsonSchema {
  const own = propertiesOf(input.json);
  const taken = controlNames.find((name) => Object.hasOwn(own, name));
  if (taken !== undefined) {
    throw new KitError('invalid_argument', `tool ${tool.name}: input has a property "${taken}"`, {
      hint: 'Leave it out: every writing tool of a governed set gets it.',
    });
  }
  const names = controlNames.filter((name) => tool.plan !== undefined || !previewing.has(name));
  const common = names.map((name) => [name, fields[name as keyof Control].schema]);
  return { ...input.json, properties: { ...own, ...Object.fromEntries(common) } };
}

/** Arguments taken apart: those of the framework, and those of the tool. */
interface Split {
  readonly control: Control;
  readonly own: Readonly<Record<string, unknown>>;
  readonly issue?: Issue | undefined;
}

/** Takes the framework's arguments out of those of a writing tool. */
function splitter({ input }: Entry): (args: Readonly<Record<string, unknown>>) => Split {
  const declared = new Set(Object.keys(propertiesOf(input.json)));
  return (args) => {
    let own = args;
    let control: Record<string, unknown> | undefined;
    for (const name of Object.keys(args)) {
      if (declared.has(name)) continue;
      const value = args[name];
      const field = Object.hasOwn(fields, name) ? fields[name as keyof Control] : undefined;
      if (field === undefined) {
        // A slip here would do for good what was only to be tried.
        const meant = meantControl(name);
        if (meant !== undefined) return refused(name, `unknown property; did you mean "${meant}"?`);
        continue;
      }
      if (!field.fits(value)) {
        const received = describe(value, field);
        return refused(name, `expected ${field.expected}, received ${received}`, {
          expected: field.expected,
          received,
        });
      }
      if (control === undefined) {
        control = { dryRun: false };
        own = { ...args };
      }
      control[name] = value;
      // A copy: the caller's stays as it was.
      delete (own as Record<string, unknown>)[name];
    }
    // Each field was checked by its own rule.
    return { control: (control as Control | undefined) ?? noControl, own };
  };
}

function refused(path: string, text: string, more: Partial<Issue> = {}): Split {
  return { control: noControl, own: {}, issue: { path, message: `${path}: ${text}`, ...more } };
}

function describe(value: unknown, { schema }: Field): string {
  if (typeof value === 'number' || value === null) return String(value);
  if (typeof value === 'string' && schema['type'] === 'string') return `${value.length} characters`;
  return Array.isArray(value) ? 'array' : typeof value;
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(properties) ? properties : {};
}

/** Takes the framework's arguments out, and checks those of the tool against its schema. */
export const validateLayer: Wrap = (next, entry) => {
  const split = isWriting(entry) ? splitter(entry) : undefined;
  return (call) => {
    if (split !== undefined) {
      const { control, own, issue } = split(call.received);
      if (issue !== undefined) return invalidArguments([issue]);
      call.control = control;
      call.own = own;
    }
    return chain(entry.input.check(call.own), (checked): MaybePromise<Outcome> => {
      if (!checked.ok) return invalidArguments(checked.issues);
      call.args = checked.value;
      return next(call);
    });
  };
};

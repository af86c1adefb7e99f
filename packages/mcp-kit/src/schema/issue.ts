import { withoutUndefined } from '#base';

/** One thing that is wrong with a value, for a person or a model to correct. */
export interface Issue {
  /** `limit`, `items[2].name`; empty for the value itself. */
  readonly path: string;
  /** Says where and what: `limit: expected integer, received string`. */
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
}

/** What an issue says besides where. */
export interface Finding {
  readonly text: string;
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
}

const maxPathLength = 200;

/** An issue at a path of names and indexes. */
export function toIssue(steps: readonly PropertyKey[], { text, ...details }: Finding): Issue {
  const path = excerpt(steps.map(toStep).join(''), maxPathLength);
  return { path, message: path === '' ? text : `${path}: ${text}`, ...withoutUndefined(details) };
}

function toStep(step: PropertyKey, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  const name = String(step);
  if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
  return index === 0 ? name : `.${name}`;
}

/** The beginning of a text that may be long. */
export function excerpt(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

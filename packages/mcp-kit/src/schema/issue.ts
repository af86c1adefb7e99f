/** One thing that is wrong with a value, for a person or a model to correct. */
export interface Issue {
  /** `limit`, `items[2].name`; empty for the value itself. */
  readonly path: string;
  /** Says where and what: `limit: expected integer, received string`. */
  readonly message: string;
  readonly expected?: string | undefined;
  readonly received?: string | undefined;
}

/** What an issue says besides where. */
export interface Finding extends Pick<Issue, 'expected' | 'received'> {
  readonly text: string;
}

const maxPathLength = 200;

/** An issue at a path of names and indexes. */
export function toIssue(steps: readonly PropertyKey[], finding: Finding): Issue {
  const { text, expected, received } = finding;
  const path = excerpt(steps.map(toStep).join(''), maxPathLength);
  return { path, message: path === '' ? text : `${path}: ${text}`, expected, received };
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

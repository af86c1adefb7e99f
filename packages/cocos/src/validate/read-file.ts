import {
  CocosError,
  isList,
  isObject,
  parseTable,
  parseText,
  refIndex,
  type Table,
  typeOf,
} from '#cocos/document';
import type { Workspace } from '#cocos/edit';
import type { Finding } from './finding.ts';

/** A scene or prefab, or why it cannot be one. */
export function readTable(workspace: Workspace, file: string): Table | Finding {
  try {
    const table = workspace.draft.table(file);
    return defectOf(file, table) ?? table;
  } catch (error) {
    if (!(error instanceof CocosError) || error.code !== 'E_INVALID_ARGUMENT') throw error;
    return unreadable(file, workspace.draft.text(file));
  }
}

const restore = 'Restore the file from version control.';

const head = { severity: 'error', line: 1, fixable: false } as const;

/** What no engine opens, and no rule could look at. */
function defectOf(file: string, { kind, objects }: Table): Finding | undefined {
  const reference = objects.findIndex((entry) => entry !== undefined && '__id__' in entry);
  if (reference >= 0) {
    return {
      ...head,
      file,
      code: 'notArray',
      pointer: `/${reference}`,
      message: `Object ${reference} is a reference, where an object must be.`,
      suggestion: restore,
    };
  }
  const field = kind === 'scene' ? 'scene' : 'data';
  const type = kind === 'scene' ? 'cc.Scene' : 'cc.Node';
  if (typeOf(objects[refIndex(objects[0]?.[field]) ?? -1]) === type) return undefined;
  const message = `The ${kind} leads to an object that is no ${type}.`;
  return { ...head, file, code: 'badHead', pointer: `/0/${field}`, message, suggestion: restore };
}

function unreadable(file: string, text: string): Finding {
  const whole = { ...head, file, pointer: '' };
  let value: unknown;
  try {
    ({ value } = parseText(text));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isConflict = /^<{7} /m.test(text);
    const suggestion = isConflict ? 'Settle the merge conflict in it.' : restore;
    return { ...whole, code: 'parse', message: `${message}.`, suggestion };
  }
  if (!isList(value) || !value.every(isObject)) {
    return {
      ...whole,
      code: 'notArray',
      message: 'The file is not a list of objects.',
      suggestion: restore,
    };
  }
  let message = 'The first object is neither a scene nor a prefab.';
  try {
    parseTable(text, file);
  } catch (error) {
    if (error instanceof CocosError) message = `${error.message}.`;
  }
  return { ...whole, code: 'badHead', pointer: '/0', message, suggestion: restore };
}

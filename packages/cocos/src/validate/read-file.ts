import { CocosError, isObject, parseTable, parseText, type Table } from '#cocos/document';
import type { Workspace } from '#cocos/edit';
import type { Finding } from './finding.ts';

/** A scene or prefab, or why it cannot be one. */
export function readTable(workspace: Workspace, file: string): Table | Finding {
  try {
    return workspace.draft.table(file);
  } catch (error) {
    if (!(error instanceof CocosError) || error.code !== 'E_INVALID_ARGUMENT') throw error;
    return unreadable(file, workspace.draft.text(file));
  }
}

function unreadable(file: string, text: string): Finding {
  const head = { severity: 'error', file, pointer: '', line: 1, fixable: false } as const;
  const restore = 'Restore the file from version control.';
  let value: unknown;
  try {
    ({ value } = parseText(text));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isConflict = /^<{7} /m.test(text);
    const suggestion = isConflict ? 'Settle the merge conflict in it.' : restore;
    return { ...head, code: 'parse', message: `${message}.`, suggestion };
  }
  if (!Array.isArray(value) || !value.every(isObject))
    return {
      ...head,
      code: 'notArray',
      message: 'The file is not a list of objects.',
      suggestion: restore,
    };
  let message = 'The first object is neither a scene nor a prefab.';
  try {
    parseTable(text, file);
  } catch (error) {
    if (error instanceof CocosError) message = `${error.message}.`;
  }
  return { ...head, code: 'badHead', pointer: '/0', message, suggestion: restore };
}

import { CocosError } from '#cocos/document';
import { type FindingCode, findingRules, repairDocument } from '#cocos/validate';
import { defineEdit } from './define-edit.ts';
import { closedObject, count, menuScene, object, scenePath, text, texts } from './schemas.ts';

/** Edits that repair. */
export const repairEdits = [
  defineEdit({
    op: 'repair_document',
    tool: 'execute_scene_repair',
    description:
      'Puts right what validate_scene_document calls fixable, where only one way is possible. Try it with dryRun first.',
    category: 'scene',
    idempotent: true,
    riskLevel: 'medium',
    errors: {
      E_NOT_FOUND: 'There is no such scene.',
      E_INVALID_ARGUMENT: 'There is no finding of that code.',
      E_PRECONDITION_FAILED: 'No scene is open, and none is named; or the file cannot be read.',
    },
    examples: [
      { title: 'After a merge went wrong', input: { scenePath: menuScene } },
      {
        title: 'After a merge went wrong, only empty places among children',
        input: { scenePath: menuScene, codes: ['nullChild'] },
      },
      { input: { scenePath: menuScene, codes: ['broken'] }, fails: 'E_INVALID_ARGUMENT' },
      { input: { scenePath: 'assets/scenes/shop.scene' }, fails: 'E_NOT_FOUND' },
      { title: 'Before a scene is opened', input: {}, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject([], {
      scenePath,
      codes: { ...texts, minItems: 1, description: 'Only findings of these codes. Absent: all.' },
    }),
    output: object(['scenePath', 'repaired', 'left'], {
      scenePath: text,
      repaired: {
        type: 'array',
        items: object(['code', 'count'], { code: text, count }),
      },
      left: { ...count, description: 'How many findings remain.' },
    }),
    run({ scenePath: named, codes }, { workspace, currentDocument }) {
      const path = named ?? currentDocument();
      const done = repairDocument(workspace, path, { codes: codes?.map(knownCode) });
      const unread = done.remaining.find(({ code }) => unreadable.has(code));
      if (unread !== undefined) {
        throw new CocosError(
          'E_PRECONDITION_FAILED',
          `"${unread.file}" cannot be repaired, because it cannot be read: ${unread.message}`,
          { suggestion: unread.suggestion },
        );
      }
      const counts = new Map<string, number>();
      for (const { code } of done.repaired) counts.set(code, (counts.get(code) ?? 0) + 1);
      const repaired = [...counts].map(([code, times]) => ({ code, count: times }));
      const { draft } = workspace;
      return {
        result: {
          scenePath: draft.asset(path)?.path ?? draft.resolve(path),
          repaired,
          left: done.remaining.length,
        },
        changes: done.changes,
      };
    },
  }),
] as const;

/** Findings of files that no rule could look at. */
const unreadable = new Set<FindingCode>(['parse', 'notArray', 'badHead']);

function knownCode(code: string): FindingCode {
  if (Object.hasOwn(findingRules, code)) return code as FindingCode;
  throw new CocosError('E_INVALID_ARGUMENT', `There is no finding "${code}".`, {
    suggestion: `Findings: ${Object.keys(findingRules).join(', ')}.`,
  });
}

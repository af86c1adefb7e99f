import type { CocosBackend, TransactionReading } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import { withoutFolders } from 'mcp-kit/internal';
import { tool, type Tool } from 'mcp-kit/tools';
import { committing, readTool } from './define-tools.ts';
import { telling } from './failures.ts';
import { openedIn } from './open-scenes.ts';
import { lines } from './show.ts';
import { closedObject, count, flag, object, size, text, texts } from './schemas.ts';

const category = 'project';
const maxScenes = 50;

const counts = object(['scenes', 'prefabs', 'scripts', 'images', 'assets'], {
  scenes: count,
  prefabs: count,
  scripts: count,
  images: count,
  assets: count,
});

function getProjectInfo(backend: CocosBackend): Tool {
  return readTool({
    name: 'get_project_info',
    description:
      'Tells what the project is, its scenes, which of them is open, and whether the editor runs. A good first call.',
    category,
    examples: [{ input: {} }],
    input: closedObject([], {}),
    output: object(['name', 'creatorVersion', 'designResolution', 'backend', 'scenes', 'counts'], {
      name: text,
      creatorVersion: text,
      designResolution: size,
      backend: { enum: ['headless', 'editor'] },
      editorRunning: { enum: ['yes', 'maybe', 'no'] },
      editorUrl: text,
      currentScene: text,
      isDirty: flag,
      scenes: texts,
      counts,
      problems: texts,
    }),
    show: (project) =>
      lines(
        `${project.name}, Cocos Creator ${project.creatorVersion}, design ${project.designResolution.width} × ${project.designResolution.height}`,
        `${project.backend}; the editor is running: ${project.editorRunning ?? 'no'}`,
        `open: ${project.currentScene ?? 'no scene'}${project.isDirty === true ? ', not saved' : ''}`,
        `scenes: ${project.scenes.join(', ') || 'none'}`,
        Object.entries(project.counts)
          .map(([what, many]) => `${many} ${what}`)
          .join(', '),
        project.problems,
      ),
    async run(_args, context) {
      const project = await backend.project();
      const { name, creatorVersion, designResolution, editor } = project;
      const currentDocument = (await openedIn(backend, context)) ?? project.currentDocument;
      const scenes = await backend.assets({ type: 'scene' });
      const isDirty = currentDocument !== undefined && (await backend.isDirty(currentDocument));
      return {
        name,
        creatorVersion,
        designResolution,
        backend: project.backend,
        editorRunning: editor.running,
        editorUrl: editor.url,
        currentScene: currentDocument,
        isDirty,
        scenes: scenes.slice(0, maxScenes).map(({ path, url }) => path ?? url),
        counts: project.counts,
        problems: project.problems.map(
          ({ path, message }) => `${path}: ${withoutFolders(message)}`,
        ),
      };
    },
  });
}

const undone = { create: 'delete', delete: 'create', update: 'update' } as const;

/** The transaction that can be undone: the last, and no other one. */
function pickLast(
  history: readonly TransactionReading[],
  transactionId: string | undefined,
): TransactionReading {
  const [last] = history;
  if (last === undefined) {
    throw new CocosError('E_PRECONDITION_FAILED', 'There is nothing to undo.', {
      suggestion: 'Only what these tools wrote can be undone.',
    });
  }
  if (transactionId === undefined || last.transactionId === transactionId) return last;
  const isKnown = history.some((other) => other.transactionId === transactionId);
  throw new CocosError(
    isKnown ? 'E_PRECONDITION_FAILED' : 'E_NOT_FOUND',
    isKnown
      ? `Later transactions must be undone before "${transactionId}".`
      : `There is no transaction "${transactionId}" to undo.`,
    { suggestion: `The last one is "${last.transactionId}" (${last.label}).` },
  );
}

function executeProjectUndo(backend: CocosBackend): Tool {
  return tool({
    name: 'execute_project_undo',
    description:
      'Takes back the last write of these tools: all its files are again as they were before.',
    layer: 'core',
    category,
    safety: 'mutating',
    commits: true,
    riskLevel: 'medium',
    errors: {
      E_PRECONDITION_FAILED: 'There is nothing to undo, or a later write must be undone first.',
      E_NOT_FOUND: 'There is no such transaction.',
    },
    examples: [
      { title: 'After a write', input: {} },
      {
        title: 'After a write, which has another id',
        input: { transactionId: '0123456789ab' },
        fails: 'E_NOT_FOUND',
      },
      { title: 'Before anything is written', input: {}, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject([], {
      transactionId: {
        type: 'string',
        minLength: 1,
        description: 'Undoes only if this is the last write. From the answer of that write.',
      },
    }),
    output: object(['undone', 'label', 'files'], { undone: text, label: text, files: texts }),
    plan: ({ transactionId }) =>
      telling(async () => {
        const last = pickLast(await backend.history(), transactionId);
        const changes = last.files.map(({ path, change }) => ({
          type: undone[change],
          target: path,
        }));
        const { transactionId: id, label } = last;
        const files = changes.map(({ type, target }) => `${type} ${target}`);
        return {
          changes,
          state: id,
          summary: `It would take back ${label}: ${files.join('; ')}.`,
          shown: { undone: id, label, files: changes.map(({ target }) => target) },
          last,
        };
      }),
    apply: ({ last }, context) =>
      telling(async () => {
        const answerTo = ({ files }: TransactionReading) => ({
          undone: last.transactionId,
          label: last.label,
          files: files.map(({ path }) => path),
        });
        const beforeWrite = committing(context, answerTo);
        return answerTo(await backend.undo(last.transactionId, { beforeWrite }));
      }),
  });
}

/** Tools about the project as a whole. */
export function projectTools(backend: CocosBackend): readonly Tool[] {
  return [getProjectInfo(backend), executeProjectUndo(backend)];
}

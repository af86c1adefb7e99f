import { CocosError, newUuid } from '#cocos/document';
import type { EarlyNote } from '#cocos/project';
import type { TransactionReading } from '../readings.ts';

/** Something done to the open scene, perhaps together with files, that can be taken back. */
export interface SceneTransaction extends TransactionReading {
  readonly scene: { readonly uuid: string; readonly before: string; readonly after: string };
  /** The transaction of the files that belong to it. */
  readonly filesId?: string | undefined;
  /** What is remembered of the call that did it. */
  readonly note?: EarlyNote | undefined;
}

const maxKept = 20;

/** What was done to open scenes, the last first; the files have a history of their own. */
export class SceneHistory {
  #done: readonly SceneTransaction[] = [];

  add(done: Omit<SceneTransaction, 'transactionId' | 'at'>): TransactionReading {
    const transaction = { ...done, transactionId: newUuid(), at: new Date().toISOString() };
    this.#done = [transaction, ...this.#done].slice(0, maxKept);
    return readable(transaction);
  }

  drop(id: string): void {
    this.#done = this.#done.filter(({ transactionId }) => transactionId !== id);
  }

  find(id: string): SceneTransaction | undefined {
    return this.#done.find(({ transactionId }) => transactionId === id);
  }

  /** Whether a text of a scene is what one of these has left. */
  hasMade(text: string): boolean {
    return this.#done.some(({ scene }) => scene.after === text);
  }

  /** One list of both, without the files that belong to a scene. */
  with(files: readonly TransactionReading[]): TransactionReading[] {
    const inner = new Set(this.#done.map(({ filesId }) => filesId));
    const own = this.#done.map((transaction) => readable(transaction));
    const others = files.filter(({ transactionId }) => !inner.has(transactionId));
    return [...own, ...others].sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
  }
}

function readable({ transactionId, label, at, files }: SceneTransaction): TransactionReading {
  return { transactionId, label, at, files };
}

/** The last transaction, which must be the one that is meant. */
export function lastOf(
  history: readonly TransactionReading[],
  id: string | undefined,
): TransactionReading {
  const [last] = history;
  if (last === undefined) throw new CocosError('E_NOT_FOUND', 'There is nothing to undo.');
  if (id === undefined || id === last.transactionId) return last;
  throw new CocosError('E_CONFLICT', `The last transaction is ${last.transactionId}, not ${id}.`, {
    suggestion: 'Undo the later ones first.',
    details: { last: last.transactionId },
  });
}

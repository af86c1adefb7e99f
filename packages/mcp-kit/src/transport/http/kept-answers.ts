const maxKept = 8;

/** The longest answer that is kept here; a longer one is better off in the store, which is bounded in bytes. */
export const maxKeptCharacters: number = 16 * 1024;

/**
 * The latest answers of a session that nothing preceded. They were sent whole, so all that a client can still want is
 * what follows one of their two events: no log is needed to tell it.
 */
export class KeptAnswers {
  readonly #rest = new Map<string, string>();

  /** Remembers what follows these events; gives back what was forgotten for it. */
  keep(primingId: string | undefined, finalId: string, final: string): readonly string[] {
    if (primingId !== undefined) this.#rest.set(primingId, final);
    this.#rest.set(finalId, '');
    const forgotten: string[] = [];
    for (const [oldest, text] of this.#rest) {
      if (this.#rest.size <= 2 * maxKept) break;
      this.#rest.delete(oldest);
      if (text !== '') forgotten.push(text);
    }
    return forgotten;
  }

  /** What follows an event: perhaps nothing; `undefined` when the event is not one of these. */
  after(eventId: string): string | undefined {
    return this.#rest.get(eventId);
  }
}

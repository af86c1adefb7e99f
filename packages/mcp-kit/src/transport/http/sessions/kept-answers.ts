const maxKept = 8;

/** The longest answer that is kept here; a longer one is better off in the store, which is bounded in bytes. */
export const maxKeptCharacters: number = 16 * 1024;

/** An answer that was sent whole: perhaps an event without a message, and the one that carries it. */
interface KeptAnswer {
  readonly primingId: string | undefined;
  readonly finalId: string;
  readonly final: string;
}

/**
 * The latest answers of a session that nothing preceded. They were sent whole, so all that a client can still want is
 * what follows one of their two events: no log is needed to tell it.
 */
export class KeptAnswers {
  readonly #kept: KeptAnswer[] = [];

  /** Keeps an answer; gives back the one that was forgotten for it. */
  keep(answer: KeptAnswer): KeptAnswer | undefined {
    this.#kept.push(answer);
    return this.#kept.length > maxKept ? this.#kept.shift() : undefined;
  }

  /** What follows an event: perhaps nothing; `undefined` when the event is not one of these. */
  after(eventId: string): string | undefined {
    for (const { primingId, finalId, final } of this.#kept) {
      if (eventId === primingId) return final;
      if (eventId === finalId) return '';
    }
    return undefined;
  }
}

/** When results are kept instead of shown, and how long. */
export interface ResultLimits {
  readonly maxTokens: number;
  readonly lifetimeMs: number;
  readonly maxBytes: number;
}

type Said = { readonly [Name in keyof ResultLimits]?: ResultLimits[Name] | undefined };

const usual: ResultLimits = {
  maxTokens: 25_000,
  lifetimeMs: 30 * 60_000,
  maxBytes: 64 * 1024 * 1024,
};

/** What counts where some of it was said; nothing where no result is kept. */
export function resultLimits(said: Said | false | undefined): ResultLimits | undefined {
  if (said === false) return undefined;
  return {
    maxTokens: said?.maxTokens ?? usual.maxTokens,
    lifetimeMs: said?.lifetimeMs ?? usual.lifetimeMs,
    maxBytes: said?.maxBytes ?? usual.maxBytes,
  };
}

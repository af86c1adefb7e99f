import type { Failure } from './operation.ts';

/** Says why an operation is not done. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: Failure['kind'];

  constructor(kind: Failure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** What is told of anything that was thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) return { kind: error.kind, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  const { code } = Object(error) as { readonly code?: unknown };
  return { kind: code === 'SQLITE_FULL' ? 'full' : 'broken', message };
}

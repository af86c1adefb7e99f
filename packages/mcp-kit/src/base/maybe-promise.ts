/** A value that is here already, or will be: lets a synchronous implementation answer in the same tick. */
export type MaybePromise<T> = T | Promise<T>;

/** True for anything with a `then`. */
export function isPromise<T>(value: MaybePromise<T> | T): value is Promise<T> {
  return (
    value !== null &&
    typeof value === 'object' &&
    'then' in value &&
    typeof value.then === 'function'
  );
}

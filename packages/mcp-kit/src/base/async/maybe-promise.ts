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

/** Goes on with a value: at once when it is here, else when it comes. */
export function chain<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value);
}

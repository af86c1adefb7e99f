/** Does work after all the work that was given before, whatever became of it. */
export type OneByOne = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a queue for work that must not overlap. */
export function oneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}

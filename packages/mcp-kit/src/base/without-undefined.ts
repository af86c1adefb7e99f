/** The same object with only the members that have a value: for what is written to files, counted or spread over another. */
export function withoutUndefined<Type extends object>(value: Type): Type {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as Type;
}

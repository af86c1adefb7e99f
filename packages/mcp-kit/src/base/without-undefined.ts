/** The type of an object without members that are undefined. */
export type Defined<Type> = {
  [Name in keyof Type as undefined extends Type[Name] ? never : Name]: Type[Name];
} & {
  [Name in keyof Type as undefined extends Type[Name] ? Name : never]?: Exclude<
    Type[Name],
    undefined
  >;
};

/** The same object with only the members that have a value: for what is written to files, counted or spread over another. */
export function withoutUndefined<Type extends object>(value: Type): Defined<Type> {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as Defined<Type>;
}

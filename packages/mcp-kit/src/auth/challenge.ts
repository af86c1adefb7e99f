/** One challenge of a `WWW-Authenticate` header; names are in lower case. */
export interface Challenge {
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const space = /[\s,]*/y;
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const equals = /\s*=\s*/y;
const quoted = /"((?:[^"\\]|\\.)*)"/y;
/** Credentials in place of parameters, as some schemes have them. */
const token68 = / +[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y;
/** Longer ones say nothing that is needed. */
const maxLength = 16 * 1024;

/** Reads the challenges of a header, as far as they make sense. */
export function parseChallenges(header: string): readonly Challenge[] {
  const text = header.slice(0, maxLength);
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  for (;;) {
    take(space);
    const word = take(token)?.[0];
    if (word === undefined) return challenges;
    const isParameter = take(equals) !== undefined;
    if (!isParameter) {
      challenges.push({ scheme: word.toLowerCase(), parameters: Object.create(null) });
      take(token68);
      continue;
    }
    const inQuotes = take(quoted)?.[1];
    const value = inQuotes?.replaceAll(/\\(.)/g, '$1') ?? take(token)?.[0];
    const parameters = challenges.at(-1)?.parameters;
    if (value === undefined || parameters === undefined) return challenges;
    // Whoever says it twice is not believed the second time.
    parameters[word.toLowerCase()] ??= value;
  }
}

/** What a server wants, as far as it concerns tokens. */
export interface Demand {
  readonly error: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly resourceMetadata: string | undefined;
}

/** What the headers of a refusal say of tokens; undefined when they do not speak of them. */
export function demandOf(header: string | undefined): Demand | undefined {
  const challenges = parseChallenges(header ?? '').filter(({ scheme }) => isOurs(scheme));
  if (challenges.length === 0) return undefined;
  const say = (name: string): string | undefined =>
    challenges.map(({ parameters }) => parameters[name]).find((value) => value !== undefined);
  return {
    error: say('error'),
    scopes: splitScopes(say('scope')),
    resourceMetadata: say('resource_metadata'),
  };
}

function isOurs(scheme: string): boolean {
  return scheme === 'bearer' || scheme === 'dpop';
}

/** The scopes of a list; undefined when it is empty, which says nothing. */
export function splitScopes(text: string | undefined): readonly string[] | undefined {
  const scopes = (text ?? '').split(' ').filter((scope) => scope !== '');
  return scopes.length === 0 ? undefined : [...new Set(scopes)];
}

/** All scopes of the lists, each once; undefined when no list is given. */
export function unionOf(
  ...lists: readonly (readonly string[] | undefined)[]
): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  return given.length === 0 ? undefined : [...new Set(given.flat())];
}

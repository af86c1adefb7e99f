import { globOf } from 'mcp-kit/internal';
import type { GatewaySettings, ServerShownAs, ShownAs, ShownServers } from '@mcp-kit/host';

type Kind = 'tool' | 'prompt';

interface Named {
  readonly name: string;
}

/** How clients see a server and what it has: under which names, described how, and what not at all. */
export interface Presentation {
  /** What the server is for, where its own instructions are not wanted. */
  readonly description: string | undefined;
  /** The server is not served at all. */
  readonly isHidden: boolean;
  /** Each principal uses it with a login of their own. */
  readonly isPersonal: boolean;
  /** Everything is shown as the server has it. */
  readonly isPlain: boolean;
  /** A thing as clients see it; nothing where they do not. */
  show<T extends Named>(kind: Kind, thing: T): T | undefined;
  /** The server's name for what clients call so; nothing where it is hidden, or known by another name. */
  own(kind: Kind, shown: string): string | undefined;
  hidesUri(uri: string): boolean;
}

/** Shows a server as the settings say; without any, as it is. */
export function presentationOf(settings: ServerShownAs = {}): Presentation {
  const rules = { tool: rulesOf(settings.tools), prompt: rulesOf(settings.prompts) };
  const hiddenUris = Object.entries(settings.resources ?? {})
    .filter(([, { hidden }]) => hidden === true)
    .map(([pattern]) => globOf(pattern));
  const { description, hidden = false, tools = {}, prompts = {}, resources = {} } = settings;
  const count = [tools, prompts, resources].flatMap((one) => Object.keys(one)).length;
  return {
    description,
    isHidden: hidden,
    isPersonal: settings.login === 'principal',
    isPlain: count === 0 && description === undefined,
    show(kind, thing) {
      const rule = rules[kind].of(thing.name);
      if (rule === undefined) return thing;
      if (rule.hidden === true) return undefined;
      const shown = { ...thing, name: rule.name ?? thing.name };
      return rule.description === undefined ? shown : { ...shown, description: rule.description };
    },
    own(kind, shown) {
      const renamed = rules[kind].renamed.get(shown);
      if (renamed !== undefined) return renamed;
      const rule = rules[kind].of(shown);
      const isElsewhere = rule?.hidden === true || (rule?.name ?? shown) !== shown;
      return isElsewhere ? undefined : shown;
    },
    hidesUri: (uri) => hiddenUris.some((glob) => glob(uri)),
  };
}

const nothingSaid: ShownServers = {};

/** How each server is shown by the settings of now. */
export function presentations(settings: () => GatewaySettings): (server: string) => Presentation {
  let said: ShownServers | undefined;
  const known = new Map<string, Presentation>();
  return (server) => {
    const { servers = nothingSaid } = settings();
    if (servers !== said) known.clear();
    said = servers;
    let found = known.get(server);
    if (found === undefined) {
      found = presentationOf(Object.hasOwn(servers, server) ? servers[server] : undefined);
      known.set(server, found);
    }
    return found;
  };
}

interface Rules {
  of(name: string): ShownAs | undefined;
  /** From the new names to the server's own. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** What is said of a name itself comes before what a glob says. */
function rulesOf(said: Readonly<Record<string, ShownAs>> = {}): Rules {
  const exact = new Map(Object.entries(said));
  const globs = [...exact]
    .filter(([pattern]) => /[*?]/.test(pattern))
    .map(([pattern, rule]) => ({ matches: globOf(pattern), rule }));
  const renamed = [...exact].flatMap(([own, { name, hidden }]): [string, string][] =>
    name === undefined || hidden === true ? [] : [[name, own]],
  );
  return {
    of: (name) => exact.get(name) ?? globs.find(({ matches }) => matches(name))?.rule,
    renamed: new Map(renamed),
  };
}

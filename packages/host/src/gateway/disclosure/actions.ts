import { stem } from './words.ts';

/** What can be done, and the verbs that say so. */
const verbs: Readonly<Record<string, string>> = {
  create:
    'create add make new insert register generate append build compose draft establish init initialize schedule book put save write draw plot note remember enter provision',
  delete:
    'delete remove erase drop clear discard trash destroy purge uninstall forget wipe clean unset revoke',
  update:
    'update edit change modify set alter adjust replace patch revise rewrite rename fix correct mark amend resize format style upgrade configure',
  read: 'get fetch read retrieve show view display see load look print describe inspect explain tell give know',
  open: 'open',
  list: 'list enumerate all every everything overview names',
  search: 'search find query lookup locate seek discover',
  send: 'send post publish submit deliver push message notify announce inform broadcast share',
  reply: 'reply answer respond comment react',
  run: 'run execute invoke launch perform evaluate start trigger apply',
  stop: 'stop end kill terminate cancel close quit abort disconnect leave',
  move: 'move transfer relocate shift drag bring',
  copy: 'copy duplicate clone fork replicate',
  undo: 'undo revert reset restore',
  choose: 'select choose pick switch use checkout activate',
  assign: 'assign invite',
  upload: 'upload attach import',
  download: 'download export pull',
  press: 'press click hit tap',
  fill: 'fill type',
  translate: 'translate convert turn',
  rephrase: 'rephrase reword paraphrase rewrite',
  count: 'count',
  wait: 'wait pause sleep',
  compare: 'compare diff',
  summarize: 'summarize',
  check: 'check verify test validate diagnose',
  go: 'go navigate visit browse',
  connect: 'connect login',
  archive: 'archive',
  follow: 'follow watch subscribe',
  accept: 'accept approve confirm decline reject dismiss',
  merge: 'merge combine join',
};

/** What some verbs say when people ask; the likeliest first. */
const saidBy: Readonly<Record<string, string>> = {
  open: 'open create read go',
  start: 'run create',
  begin: 'create run',
  file: 'create',
  post: 'send create reply',
  store: 'create update',
  save: 'create update download',
  write: 'create update send',
  put: 'create move update upload assign',
  add: 'create upload assign update',
  log: 'create',
  record: 'create',
  set: 'update create choose',
  upload: 'upload create send',
  attach: 'upload create',
  cancel: 'stop delete',
  lose: 'delete',
  take: 'read delete',
  close: 'stop update archive',
  reopen: 'update',
  move: 'move update',
  rename: 'move update',
  change: 'update choose',
  switch: 'choose update',
  turn: 'update translate',
  mark: 'update',
  check: 'check read',
  show: 'list read',
  get: 'read list download',
  see: 'read list',
  give: 'read list assign',
  view: 'read list',
  display: 'read list',
  look: 'read search',
  find: 'search read',
  fetch: 'read download',
  tell: 'send',
  say: 'send translate reply',
  ask: 'send',
  message: 'send',
  leave: 'reply stop',
  enter: 'fill create',
  type: 'fill',
  pull: 'download',
  push: 'send upload press',
  visit: 'go',
  visualize: 'create',
  warn: 'send',
  invite: 'assign create update',
  approve: 'accept create update',
  happen: 'list',
};

const reading = new Set(termsOf('read list search count compare summarize check download'));
const writing = new Set(
  termsOf(
    'create delete update send reply stop move copy undo assign upload fill archive merge accept',
  ),
);

function termsOf(line: string): readonly string[] {
  return line.split(' ').map((action) => `!${action}`);
}

const actionsOf = new Map<string, readonly string[]>();
for (const [action, line] of Object.entries(verbs)) {
  for (const verb of line.split(' ').map(stem)) {
    actionsOf.set(verb, [...(actionsOf.get(verb) ?? []), `!${action}`]);
  }
}
const actionsSaid = new Map(
  Object.entries(saidBy).map(([verb, line]) => [stem(verb), termsOf(line)]),
);

/** What a verb says that a tool does, as terms that no word is. */
export function actionsIn(word: string): readonly string[] {
  return actionsOf.get(word) ?? [];
}

/** What is asked to be done. */
export interface Wish {
  /** The place of the verb among the words; none in a question. */
  readonly at: number;
  /** What it may mean, and how surely. */
  readonly actions: ReadonlyMap<string, number>;
}

/** How sure a meaning is that is not the likeliest; what is left of a tool that does the opposite. */
const lessSure = 0.8;
const opposite = 0.6;

const lead =
  /^(?:(?:please|hey|ok) )*(?:(?:can|could|would|will) (?:you|we|i)|how (?:do|can|should) (?:i|we)|how to|(?:i|we) (?:want|need|have|would like) (?:you )?to|let'?s)\b(?: please)?/;
const question =
  /^(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|did|does|do|will|has|have|am)\b/;
const toKnow: Wish = {
  at: -1,
  actions: new Map([
    ['!read', 1],
    ['!list', 1],
    ['!search', lessSure],
    ['!check', lessSure],
  ]),
};

/** What somebody wants: to know something, or what the first verb says. Names of servers may stand before it. */
export function wishIn(
  said: string,
  words: readonly string[],
  isServer: (word: string) => boolean,
): Wish {
  if (!lead.test(said) && question.test(said)) return toKnow;
  const at = words.findIndex((word) => !isServer(word));
  const verb = words[at] ?? '';
  const meant = actionsSaid.get(verb) ?? actionsIn(verb);
  return { at, actions: new Map(meant.map((one, place) => [one, place === 0 ? 1 : lessSure])) };
}

/** How well what a tool does agrees with what is wanted; a tool that changes things is no answer to a question. */
export function agreement(
  wanted: Wish['actions'],
  does: ReadonlySet<string>,
  readOnly: boolean | undefined,
): number {
  if (wanted.size === 0) return 1;
  const surest = Math.max(0, ...Array.from(does, (action) => wanted.get(action) ?? 0));
  if (surest > 0) return surest;
  const reads = readOnly ?? some(does, reading);
  const writes = !reads && (readOnly === false || some(does, writing));
  return (some(wanted.keys(), reading) ? writes : reads) ? opposite : lessSure;
}

function some(actions: Iterable<string>, among: ReadonlySet<string>): boolean {
  return [...actions].some((action) => among.has(action));
}

// Whose a difference is. What the official client sees differently when it looks twice is the server's own doing; what one
// of ours sees differently from the official client of the same generation is ours, until a reason is given in the list.
import { isDeepStrictEqual } from 'node:util';

/** Which view is held against which. Through a bridge the eras of both sides may differ. */
const pairs = [
  ['ours, legacy', 'first'],
  ['ours', 'second'],
  ['bridge, first', 'first'],
  ['bridge, second', 'second'],
  ['bridge, ours', 'bridge, second'],
];

/** Gives `{ whose, where, what }` for each difference of a trial: theirs, ours or environment. */
export function differences(report) {
  const { views = {} } = report;
  if (report.failed) return [found('ours', 'trial', report.failed)];
  const { first, second } = views;
  if (!first?.opened && !second?.opened) return notOpened(report);
  const unsteady = changing(first, views['first again']);
  return [
    ...unsteady.map((key) => found('theirs', key, 'not the same when asked twice')),
    ...pairs.flatMap(([one, other]) =>
      between(views, one, other).filter(({ where }) => !unsteady.includes(where)),
    ),
    ...commands(report, unsteady),
    ...remains(report),
  ];
}

const found = (whose, where, what) => ({ whose, where, what });

/** Nobody can open it here; ours has to say why, as far as the server did. */
function notOpened({ views, mcpctl }) {
  const { first, ours } = views;
  const words = lastWords(first.stderr);
  const said = `${ours?.error?.message}\n${mcpctl?.doctor.stdout}`;
  return [
    found('environment', 'open', first.error.message),
    ...(ours?.opened ? [found('ours', 'open', 'opens only with ours')] : []),
    ...(words !== '' && !squeezed(said).includes(squeezed(words))
      ? [found('ours', 'last words', `not in the error: ${words}`)]
      : []),
    ...(mcpctl && mcpctl.doctor.code !== 1
      ? [found('ours', 'doctor', `ends with ${mcpctl.doctor.code}`)]
      : []),
    ...remains({ views, mcpctl }),
  ];
}

const squeezed = (text) => text.replaceAll(/[^a-z]/gi, '');
const lastWords = (stderr = '') => stderr.trim().split('\n').at(-1)?.trim().slice(0, 60) ?? '';

function changing(first, again) {
  const keys = new Set([...Object.keys(first?.seen ?? {}), ...Object.keys(again?.seen ?? {})]);
  return [...keys].filter((key) => !isDeepStrictEqual(first?.seen?.[key], again?.seen?.[key]));
}

function between(views, one, other) {
  const [ours, official] = [views[one], views[other]];
  if (ours === undefined || official === undefined) return [];
  if (ours.opened !== official.opened) {
    const { error, stderr } = ours.opened ? official : ours;
    const whose = ours.opened ? 'theirs' : 'ours';
    return [found(whose, `${one}: open`, `${error.message} ${lastWords(stderr)}`)];
  }
  if (!ours.opened) return [];
  if (Object.values(official.seen).some((seen) => seen?.error?.late)) {
    return [found('environment', one, 'the official client ran out of time')];
  }
  const sameEra = ours.era === official.era;
  const bridged = one.startsWith('bridge');
  const era =
    sameEra || bridged
      ? []
      : [found('ours', `${one}: era`, `${ours.era}, ${other} has ${official.era}`)];
  const keys = new Set([...Object.keys(ours.seen), ...Object.keys(official.seen)]);
  const differing = [...keys].filter((key) => {
    const [a, b] = [ours.seen[key], official.seen[key]];
    if (!sameEra && (key === 'ping' || key === 'capabilities')) return !sameKinds(a, b);
    return !(isDeepStrictEqual(a, b) || (facts.has(key) && includes(a, b)));
  });
  return [
    ...era,
    ...differing.map((key) => differs(key, one, [ours.seen[key], official.seen[key]])),
  ];
}

/** What a server says of itself; the official clients leave out what they do not know. */
const facts = new Set(['server', 'capabilities']);

const isRecord = (value) => typeof value === 'object' && value !== null;

/** Whether everything that is in `part` is in `whole`, too. */
const includes = (whole, part) =>
  isRecord(part) && isRecord(whole)
    ? Object.keys(part).every((key) => includes(whole[key], part[key]))
    : isDeepStrictEqual(whole, part);

/** A client of one era is told the same of a server of the other, but for what its era has no words for. */
const sameKinds = (a, b) =>
  ['tools', 'prompts', 'resources', 'completions'].every(
    (kind) => (a?.[kind] === undefined) === (b?.[kind] === undefined),
  );

function differs(key, one, values) {
  const [a, b] = values.map((value) => JSON.stringify(value)?.slice(0, 300));
  return { ...found('ours', key, `${one}: ${a} instead of ${b}`) };
}

/** What mcpctl prints is what the official client sees. */
function commands({ mcpctl, views }, unsteady) {
  if (mcpctl === undefined) return [];
  const { tools = {}, doctor, call } = mcpctl;
  const { seen } = views.second?.opened ? views.second : views.first;
  const list = seen['tools/list'] ?? {};
  const names = (all) => all?.map(({ name }) => name).toSorted();
  const isListed =
    list.result === undefined ||
    unsteady.includes('tools/list') ||
    isDeepStrictEqual(names(tools.list), names(list.result));
  return [
    ...((doctor.code === 0) === (list.error === undefined)
      ? []
      : [found('ours', 'mcpctl doctor', `ends with ${doctor.code}: ${doctor.stdout}`)]),
    ...(isListed
      ? []
      : [found('ours', 'mcpctl tools', `ends with ${tools.code}: ${tools.stderr}`)]),
    ...(call === undefined || call.code === expectedCode(seen[`call: ${call.name}`], call.code)
      ? []
      : [found('ours', `mcpctl call ${call.name}`, `ends with ${call.code}: ${call.stderr}`)]),
  ];
}

/** A tool that says that it failed is 5; a call that is refused is anything but 0. */
function expectedCode({ result, error } = {}, code) {
  if (error !== undefined) return code === 0 ? undefined : code;
  return result?.isError ? 5 : 0;
}

/** Processes that outlive their client. */
function remains({ views, mcpctl, bridge }) {
  const places = Object.entries({ ...views, mcpctl, bridge });
  const all = places.flatMap(([name, seen]) =>
    (seen?.leftOver ?? []).map((line) => {
      const whose = name.startsWith('first') || name === 'second' ? 'theirs' : 'ours';
      return found(whose, `${name}: left running`, line.slice(0, 200));
    }),
  );
  if (bridge && bridge.code !== 0) all.push(found('ours', 'bridge', `ends with ${bridge.code}`));
  return all;
}

import { hideSecrets, isReservedHeader, isSecretName } from 'mcp-kit/internal';
import type { Dialect } from './dialect.ts';
import type { ServerEntry } from './entry.ts';
import { plainName } from './load.ts';
import type { Place } from './place.ts';
import { parseTemplate, writeVariable } from './template.ts';
import { mapTexts, placeOf, placeOfArgument } from './texts.ts';

interface Found extends Place {
  readonly message: string;
  readonly fix?: string | undefined;
}

/** One question to every server. */
interface EntryRule {
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'advice';
  readonly find: (entry: ServerEntry, dialect: Dialect) => readonly Found[];
}

const loopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** The text has no reference in it: what it says is in the file. */
function isLiteral(text: string, { syntax }: Dialect): boolean {
  return parseTemplate(text, syntax).every((part) => typeof part === 'string');
}

/** What stands for a secret that is elsewhere: a mask, a place to fill in, a reference in the way of any host. */
const standIns =
  /(?:\b(?:bearer|basic|token)\s+)?(?:\$\{[^}]{0,80}\}|\{\{[^}]{0,80}\}\}|\{(?:env|file):[^}]{0,80}\}|<[^<>]{1,80}>|\[?\bredacted\b\]?|[*•…]+|\.{3,}|(?<![^\W_])x{4,}(?![^\W_]))/gi;
const standInWord =
  /^(?:\$[a-z_]\w*|%\w+%|(?:your|insert|enter|replace)[-_].*|change-?me|todo|placeholder)$/i;
/** Less than this is left of a mask that shows how a secret begins. */
const fewCharacters = 4;

/** What a text says itself, word by word, without what only stands for something. */
function withoutStandIns(text: string): string {
  const said = new Set(text.split(/[\s=?&@/]+/));
  return (
    text
      .replaceAll(standIns, '')
      .replaceAll(/[^\s=?&@/]+/g, (word) => {
        const isRest = word.length < fewCharacters && !said.has(word);
        return isRest || standInWord.test(word) ? '' : word;
      })
      // A user whose password was masked.
      .replaceAll(/\/\/(?:[^\s/@:]*:)?@/g, '//')
  );
}

function plaintextSecrets(entry: ServerEntry, dialect: Dialect): readonly Found[] {
  const found: Found[] = [];
  mapTexts(entry, (text, place) => {
    const key = place.pointer.slice(place.pointer.lastIndexOf('/') + 1);
    const own = withoutStandIns(text);
    const named = isSecretName(key) && own.length >= 8;
    if ((named || hideSecrets(own, '') !== own) && isLiteral(text, dialect)) {
      const reference = writeVariable('NAME', dialect.syntax);
      const fix =
        reference === undefined
          ? 'Keep it in the environment, and name the variable here.'
          : `Keep it in the environment, and write ${reference} here.`;
      found.push({ ...place, message: 'looks like a secret in plain text', fix });
    }
    return text;
  });
  return found;
}

/** The package that a runner fetches, and where it stands among the arguments. */
function fetchedPackage({ transport }: ServerEntry): { name: string; at: number } | undefined {
  if (transport.kind !== 'stdio') return undefined;
  const runner = transport.command.replace(/^.*[\\/]/, '').replace(/\.(cmd|exe)$/, '');
  const skip = { npx: 0, bunx: 0, uvx: 0, pnpx: 0, pnpm: 1, yarn: 1 }[runner];
  if (skip === undefined || (skip === 1 && transport.args[0] !== 'dlx')) return undefined;
  const at = transport.args.findIndex((arg, index) => index >= skip && !arg.startsWith('-'));
  const name = transport.args[at];
  return name === undefined ? undefined : { name, at };
}

function withoutVersion(name: string): string {
  const at = name.lastIndexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}

function unpinned(entry: ServerEntry): readonly Found[] {
  const fetched = fetchedPackage(entry);
  if (fetched === undefined || /^([./~]|[a-z+]+:)/.test(fetched.name)) return [];
  if (/.(@|==)v?\d+(\.\d+)+/.test(fetched.name)) return [];
  const fix = `Name a version, as in ${withoutVersion(fetched.name)}@1.2.3.`;
  const message = 'whatever version is the latest gets to run';
  return [{ ...placeOfArgument(entry, fetched.at), message, fix }];
}

function plainHttp(entry: ServerEntry): readonly Found[] {
  const { transport } = entry;
  if (transport.kind !== 'http' || !URL.canParse(transport.url)) return [];
  const { protocol, hostname } = new URL(transport.url);
  if (protocol !== 'http:' || loopback.test(hostname)) return [];
  const message = 'goes over the network in plain text';
  return [{ ...placeOf(entry, 'url'), message, fix: 'Use https.' }];
}

/** A URL that no request can be made to. One with references in it is known only once they are resolved. */
function unusableUrl(entry: ServerEntry, dialect: Dialect): readonly Found[] {
  const { transport } = entry;
  if (transport.kind !== 'http') return [];
  return (['url', 'streamUrl'] as const)
    .filter((fact) => {
      const url = transport[fact];
      return url !== undefined && isLiteral(url, dialect) && !isHttpUrl(url);
    })
    .map((fact) => ({
      ...placeOf(entry, fact),
      message: 'is not the URL of an HTTP server',
      fix: 'Write it in full, beginning with https:// or http://.',
    }));
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Headers that the transport sets itself: with one of them the server cannot be opened. */
function reservedHeaders(entry: ServerEntry): readonly Found[] {
  const { transport } = entry;
  if (transport.kind === 'stdio') return [];
  return Object.keys(transport.headers)
    .filter(isReservedHeader)
    .map((name) => ({
      ...placeOf(entry, 'headers', name),
      message: 'follows from the message, and cannot be set',
      fix: 'Leave it out.',
    }));
}

function missingType(entry: ServerEntry, { title, urlAlone }: Dialect): readonly Found[] {
  const { transport, provenance } = entry;
  const unsaid = transport.kind === 'http' && provenance.keys['kind'] === undefined;
  if (!unsaid || urlAlone !== 'sse') return [];
  const message = `${title} takes a URL without a type for the SSE transport of 2024`;
  const fix =
    provenance.dialect === 'gemini'
      ? 'Write httpUrl for streamable HTTP, or "type": "sse" to mean it.'
      : 'Add the type of the transport.';
  return [{ ...placeOf(entry, 'url'), message, fix }];
}

/** Seconds in the file of a host that counts milliseconds, or the other way round. */
function wrongUnit(entry: ServerEntry, dialect: Dialect): readonly Found[] {
  const found: Found[] = [];
  for (const fact of ['startupMs', 'requestMs'] as const) {
    const value = entry.timeouts[fact];
    if (value === undefined || value === 0) continue;
    const units = [...dialect.fields.values()].map((field) => field.write({ [fact]: 1000 }));
    const inSeconds = units.includes(1);
    if (inSeconds ? value < 3_600_000 : value >= 1000) continue;
    const unit = inSeconds ? 'seconds' : 'milliseconds';
    const message = `${dialect.title} counts ${unit} here: this is ${value / 1000} s`;
    const fix = inSeconds ? 'Divide it by 1000.' : 'Multiply it by 1000.';
    found.push({ ...placeOf(entry, fact), message, fix });
  }
  return found;
}

function badReferences(entry: ServerEntry, dialect: Dialect): readonly Found[] {
  const found: Found[] = [];
  mapTexts(entry, (text, place) => {
    const references = parseTemplate(text, dialect.syntax);
    const strange = references.some(
      (part) =>
        typeof part !== 'string' &&
        part.choices.some(({ scheme }) => scheme === 'unknown' || scheme === 'unterminated'),
    );
    const literal = isLiteral(text, dialect) && /\$\{[^{}]+\}|\{env:[^{}]+\}/.test(text);
    if (strange || literal) {
      const message = `${dialect.title} does not know this reference${literal ? ': it is used as it stands' : ''}`;
      const known = writeVariable('NAME', dialect.syntax);
      const fix = known === undefined ? undefined : `Write ${known}.`;
      found.push({ ...place, message, fix });
    }
    return text;
  });
  return found;
}

function oneString(entry: ServerEntry): readonly Found[] {
  const { transport } = entry;
  if (transport.kind !== 'stdio' || transport.args.length > 0) return [];
  // A path may have spaces in it; a program and its arguments have no slash before the first one.
  if (!/^[^\s\\/]+\s+\S/.test(transport.command)) return [];
  const message = 'is taken for the name of one program, spaces included';
  return [{ ...placeOf(entry, 'command'), message, fix: 'Move the arguments to args.' }];
}

function shell(entry: ServerEntry): readonly Found[] {
  const { transport } = entry;
  const shells = /(^|[\\/])((ba|da|z|k)?sh|fish|cmd(\.exe)?|powershell(\.exe)?|pwsh)$/i;
  if (transport.kind !== 'stdio' || !shells.test(transport.command)) return [];
  const message = 'runs a shell: what it does is hard to tell from its name';
  return [{ ...placeOf(entry, 'command'), message, fix: 'Name the program itself.' }];
}

function approvesAll(entry: ServerEntry): readonly Found[] {
  if (!entry.autoApprove.includes('*')) return [];
  const message = 'lets every tool run without a question, also those to come';
  return [{ ...placeOf(entry, 'autoApprove'), message, fix: 'Name the tools.' }];
}

function inheritsAll(entry: ServerEntry): readonly Found[] {
  if (entry.transport.kind !== 'stdio' || !entry.transport.inheritEnv) return [];
  const message = 'hands the whole environment on, with all secrets in it';
  return [{ ...placeOf(entry, 'inheritEnv'), message, fix: 'Name the variables in env.' }];
}

function strangeName({ name, provenance: { file, pointer } }: ServerEntry): readonly Found[] {
  const plain = plainName(name);
  if (plain === name) return [];
  const message = 'some hosts allow only letters, digits, _ and - in names';
  return [{ file, pointer, message, fix: `Call it ${plain}.` }];
}

/** What is asked of every server. */
export const entryRules: readonly EntryRule[] = [
  { rule: 'plaintext-secret', severity: 'error', find: plaintextSecrets },
  { rule: 'unknown-reference', severity: 'error', find: badReferences },
  { rule: 'unusable-url', severity: 'error', find: unusableUrl },
  { rule: 'reserved-header', severity: 'error', find: reservedHeaders },
  { rule: 'plain-http', severity: 'error', find: plainHttp },
  { rule: 'missing-type', severity: 'warning', find: missingType },
  { rule: 'timeout-unit', severity: 'warning', find: wrongUnit },
  { rule: 'command-line', severity: 'warning', find: oneString },
  { rule: 'shell', severity: 'warning', find: shell },
  { rule: 'approves-all', severity: 'warning', find: approvesAll },
  { rule: 'inherits-environment', severity: 'warning', find: inheritsAll },
  { rule: 'name', severity: 'warning', find: strangeName },
  { rule: 'unpinned-package', severity: 'advice', find: unpinned },
];

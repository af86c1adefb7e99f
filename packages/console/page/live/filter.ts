import { book, version, type Row } from '../rows.ts';

/** What is listed: calls of hosts, or every message. */
export interface Filter {
  readonly show: 'calls' | 'messages';
  readonly text: string;
  readonly host: string;
  readonly server: string;
  readonly outcome: string;
}

export const everything: Filter = { show: 'calls', text: '', host: '', server: '', outcome: '' };

/** How a request ended, or that it has not. */
export function outcomeOf(row: Row): string {
  if (row.outcome !== undefined) return row.outcome;
  if (row.kind !== 'request') return '';
  return book().answers.get(row.seq)?.outcome ?? 'underWay';
}

/** The server of a call is known once it was asked. */
export function serverOf(row: Row): string | undefined {
  return row.server ?? book().answers.get(row.seq)?.server;
}

export function hostOf(row: Row): string | undefined {
  return row.host ?? book().answers.get(row.seq)?.host;
}

const texts = new WeakMap<Row, string>();

function textOf(row: Row): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const { method = '', item = '', gist, server = '', host = '' } = row;
  const text = `${method} ${item} ${server} ${host} ${gist}`.toLowerCase();
  texts.set(row, text);
  return text;
}

/** Nothing but the work of hosts: what keeps conversations going is no call. */
const upkeep = /^(?:initialize|ping|notifications\/|logging\/|subscriptions\/|server\/discover)/;

function isCall({ kind, wire, isIn, method = '' }: Row): boolean {
  return kind === 'request' && wire === 'client' && isIn && !upkeep.test(method);
}

function fits(row: Row, { show, text, host, server, outcome }: Filter): boolean {
  if (show === 'calls' && !isCall(row)) return false;
  if (host !== '' && hostOf(row) !== host) return false;
  if (server !== '' && serverOf(row) !== server) return false;
  if (outcome !== '' && outcomeOf(row) !== outcome) return false;
  if (text === '' || textOf(row).includes(text)) return true;
  const answer = book().answers.get(row.seq);
  return show === 'calls' && answer !== undefined && textOf(answer).includes(text);
}

/** The rows that fit: of those that came since it was last asked only these are looked at, where that is enough. */
export function createMatches(): (filter: Filter) => readonly Row[] {
  let by: Filter | undefined;
  let of: readonly Row[] | undefined;
  let seen = 0;
  let seenVersion = -1;
  let found: readonly Row[] = [];
  return (filter) => {
    const { rows } = book();
    if (by === filter && seenVersion === version.get()) return found;
    // What rows fit by their answers is decided later than they come.
    const isWaiting = filter.outcome !== '' || filter.server !== '' || filter.text !== '';
    const goesOn = by === filter && of === rows && !isWaiting;
    const wanted: Filter = { ...filter, text: filter.text.toLowerCase() };
    const more = rows.slice(goesOn ? seen : 0).filter((row) => fits(row, wanted));
    found = goesOn ? (more.length === 0 ? found : [...found, ...more]) : more;
    [by, of, seen, seenVersion] = [filter, rows, rows.length, version.get()];
    return found;
  };
}

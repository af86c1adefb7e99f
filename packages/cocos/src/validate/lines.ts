/** The lines of places in the text of a scene or prefab, by JSON pointer; places that are not there are left out. */
export function linesOf(text: string, pointers: ReadonlySet<string>): Map<string, number> {
  const found = new Map<string, number>();
  const isAsWritten = text.startsWith('[\n  {');
  if (isAsWritten) scanObjects(text, pointers, found);
  else scanValue({ text, at: 0, line: 1, pointers, found }, '');
  return found;
}

/** As the editor writes them, objects begin on lines of their own, so that only those in question must be read. */
function scanObjects(
  text: string,
  pointers: ReadonlySet<string>,
  found: Map<string, number>,
): void {
  const wanted = new Set([...pointers].map((pointer) => Number(pointer.split('/')[1])));
  const last = Math.max(...wanted);
  let [at, line] = [0, 1];
  for (let index = 0; index <= last; index += 1) {
    const next = text.indexOf('\n  {', at);
    if (next < 0) return;
    for (
      let end = text.indexOf('\n', at);
      end >= 0 && end <= next;
      end = text.indexOf('\n', end + 1)
    ) {
      line += 1;
    }
    at = next + 1;
    if (wanted.has(index)) scanValue({ text, at, line, pointers, found }, `/${index}`);
  }
}

interface Scanner {
  readonly text: string;
  at: number;
  line: number;
  readonly pointers: ReadonlySet<string>;
  readonly found: Map<string, number>;
}

/** Goes over blanks, colons and commas: the text was parsed before, so that nothing else can be in between. */
function skip(scanner: Scanner): string {
  for (; scanner.at < scanner.text.length; scanner.at += 1) {
    const character = scanner.text.charAt(scanner.at);
    if (character === '\n') scanner.line += 1;
    else if (!/[\s,:\uFEFF]/.test(character)) return character;
  }
  return '';
}

function scanValue(scanner: Scanner, pointer: string): void {
  const first = skip(scanner);
  if (scanner.pointers.has(pointer)) scanner.found.set(pointer, scanner.line);
  if (first === '{') {
    scanMembers(scanner, pointer, '}');
  } else if (first === '[') {
    scanMembers(scanner, pointer, ']');
  } else if (first === '"') {
    scanText(scanner);
  } else {
    const plain = /[^\s,\]}]*/y;
    plain.lastIndex = scanner.at;
    plain.exec(scanner.text);
    scanner.at = Math.max(plain.lastIndex, scanner.at + 1);
  }
}

function scanMembers(scanner: Scanner, pointer: string, end: string): void {
  scanner.at += 1;
  for (let index = 0; ; index += 1) {
    const next = skip(scanner);
    if (next === end || next === '') break;
    const key = end === ']' ? String(index) : scanText(scanner);
    scanValue(scanner, `${pointer}/${escapeStep(key)}`);
  }
  scanner.at += 1;
}

function scanText(scanner: Scanner): string {
  const start = scanner.at;
  const quoted = /"(?:[^"\\]|\\.)*"/y;
  quoted.lastIndex = start;
  const [text = '""'] = quoted.exec(scanner.text) ?? [];
  scanner.at = start + text.length;
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}

/** A step of a JSON pointer. */
export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What is wrong with a text of YAML, and where in it. */
export interface YamlFault {
  readonly what: string;
  readonly offset: number;
}

/** The value of a text of YAML, or what is wrong with it; two members of one name are wrong. */
export type YamlReading = { readonly value: unknown } | { readonly fault: YamlFault };

/** Each takes the parser some microseconds, nested ones more. */
const maxTokens = 8000;

/** Reads YAML of at most `maxLength` characters and 8000 tokens, about a thousand lines of configuration. */
export async function readYaml(
  text: string,
  { maxLength, maxAliases }: { readonly maxLength: number; readonly maxAliases: number },
): Promise<YamlReading> {
  if (text.length > maxLength) return wrong(`more than ${maxLength} characters`, maxLength);
  const { parseDocument, isMap, isScalar, visit, Lexer, CST } = (await import('yaml')).default;
  const marks = new Set<string>([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);
  let tokens = 0;
  let at = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > maxTokens) return wrong(`more than ${maxTokens} tokens`, at);
    // Marks are no part of the text.
    if (!marks.has(token)) at += token.length;
  }
  // The parser would compare each key with each other.
  const document = parseDocument(text, {
    prettyErrors: false,
    logLevel: 'silent',
    uniqueKeys: false,
  });
  const [error] = document.errors;
  if (error !== undefined) return wrong(error.code, error.pos[0]);
  let repeated: YamlFault | undefined;
  try {
    visit(document, (_key, node) => {
      if (!isMap(node)) return undefined;
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        const name: unknown = isScalar(key) ? key.value : key;
        const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
        if (seen.has(name)) repeated ??= { what: 'DUPLICATE_KEY', offset };
        seen.add(name);
      }
      return repeated && visit.BREAK;
    });
    if (repeated !== undefined) return { fault: repeated };
    return { value: document.toJS({ maxAliasCount: maxAliases }) as unknown };
  } catch (cause) {
    return wrong(cause instanceof RangeError ? 'nested too deeply' : 'BAD_ALIAS', 0);
  }
}

function wrong(what: string, offset: number): YamlReading {
  return { fault: { what, offset } };
}

/** What an attribute may be; undefined leaves it out. */
export type Attribute = string | number | undefined;

/** A number as short as it can be without being seen to differ, the same on every machine. */
export function decimal(value: number): string {
  const rounded = Math.round(value * 1000) / 1000;
  return Number.isFinite(rounded) ? String(rounded === 0 ? 0 : rounded) : '0';
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** A text that may stand in XML, without what XML cannot have at all. */
export function escapeXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}

/** An element of SVG; what is in it is markup already. */
export function element(
  name: string,
  attributes: Readonly<Record<string, Attribute>>,
  content = '',
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const text = typeof value === 'number' ? decimal(value) : escapeXml(value ?? '');
      return ` ${key}="${text}"`;
    })
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

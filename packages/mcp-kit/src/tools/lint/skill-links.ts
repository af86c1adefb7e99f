import type { Skill } from '#protocol';

/** A link or picture of Markdown, `[text](target "title")`, and one of a footnote, `[name]: target`. */
const inline = /!?\[[^\]\n]{0,500}\]\(\s*<?([^)>\s]{1,2000})>?(?:\s[^)\n]{0,500})?\)/g;
const reference = /^ {0,3}\[[^\]\n^]{1,500}\]:\s*<?([^>\s]{1,2000})>?/gm;
/** What stands in code is an example. */
const code = /^ {0,3}(```|~~~)[^]*?^ {0,3}\1|`[^`\n]{0,2000}`/gm;

/** The links of a `SKILL.md` that lead to no file of its skill. */
export function brokenLinks(
  text: string,
  { uri, resources }: Skill,
): readonly { readonly message: string; readonly hint?: string | undefined }[] {
  const home = uri.slice(0, uri.lastIndexOf('/') + 1);
  const files = resources === 'dynamic' ? undefined : resources.map((file) => decoded(file.uri));
  const prose = text.replaceAll(code, '');
  const targets = [...prose.matchAll(inline), ...prose.matchAll(reference)].map(
    ([, target = '']) => target,
  );
  return [...new Set(targets)].flatMap((target) => {
    if (/^[a-z][a-z0-9+.-]*:|^#/i.test(target)) return [];
    const [file = ''] = target.split(/[?#]/, 1);
    const parts = partsOf(file);
    if (parts === undefined) {
      return [
        {
          message: `the link ${target} leads out of the skill`,
          hint: 'Skills have only their own files.',
        },
      ];
    }
    const inside = decoded(home) + parts.join('/');
    const isThere = files?.some((one) => one === inside || one.startsWith(`${inside}/`)) ?? true;
    return isThere || parts.length === 0
      ? []
      : [{ message: `the link ${target} leads to no file of the skill` }];
  });
}

/** The folders and the file that a relative link names, from the folder of the skill; nothing where it leads out of that. */
function partsOf(file: string): readonly string[] | undefined {
  if (file.startsWith('/')) return undefined;
  const parts: string[] = [];
  for (const part of file.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '' && part !== '.' && part !== '..') parts.push(decoded(part));
  }
  return parts;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

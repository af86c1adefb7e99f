const svgType = 'image/svg+xml';

/** The picture in a text of SVG; nothing in it runs, whoever wrote it. */
export function pictureIn(text: string): SVGSVGElement | undefined {
  const root = new DOMParser().parseFromString(text, svgType).documentElement;
  if (!(root instanceof SVGSVGElement)) return undefined;
  for (const element of [root, ...root.querySelectorAll('*')]) {
    if (['script', 'foreignObject', 'a'].includes(element.localName)) element.remove();
    for (const name of element.getAttributeNames()) {
      if (name.startsWith('on')) element.removeAttribute(name);
    }
  }
  return document.importNode(root, true);
}

/** The same of an image. */
export function pictureOf(image: { readonly data: string; readonly mimeType: string }): Element {
  const element = document.createElement('img');
  element.src = `data:${image.mimeType};base64,${image.data}`;
  element.alt = 'The scene';
  return element;
}

/** The path of the node that an element of a picture draws. */
export function pathOf(element: Element): string | undefined {
  return element.querySelector(':scope > title')?.textContent ?? undefined;
}

/** The elements of all nodes in a picture, those in front last. */
export function nodesIn(picture: Element): readonly Element[] {
  return [...picture.querySelectorAll('g')].filter((element) => pathOf(element) !== undefined);
}

import { nodesIn, pathOf } from './markup.ts';

/** Where a picture is within its frame. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** A picture in a frame, which can be moved, zoomed and pointed at. */
export interface View {
  show(picture: Element): void;
  /** Zooms by a factor at the middle. */
  zoom(factor: number): void;
  /** Shows all of it. */
  fit(): void;
  /** Marks the node with this path; nothing is marked where there is none. */
  mark(path: string | undefined): void;
}

const most = 64;
const least = 0.1;
const step = 40;
/** Less than this between pressing and letting go is a click. */
const slackPixels = 4;

/** Shows pictures in a frame; says which node was clicked, the smallest at that point. */
export function createView(frame: HTMLElement, clicked: (path: string | undefined) => void): View {
  const sheet = frame.appendChild(document.createElement('div'));
  sheet.className = 'sheet';
  const marker = frame.appendChild(document.createElement('div'));
  marker.className = 'marker';
  let place: Place = { x: 0, y: 0, scale: 1 };
  let marked: string | undefined;
  const drawMark = (): void => {
    const element = nodesIn(sheet).find((one) => pathOf(one) === marked);
    marker.hidden = element === undefined;
    if (element === undefined) return;
    const around = frame.getBoundingClientRect();
    const { left, top, width, height } = element.getBoundingClientRect();
    Object.assign(marker.style, {
      left: `${left - around.left}px`,
      top: `${top - around.top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
  };
  const put = (next: Place): void => {
    place = next;
    sheet.style.transform = `translate(${place.x}px, ${place.y}px) scale(${place.scale})`;
    frame.dataset['scale'] = String(place.scale);
    drawMark();
  };
  const zoomAt = (factor: number, x: number, y: number): void => {
    const scale = Math.min(most, Math.max(least, place.scale * factor));
    const by = scale / place.scale;
    // What is below the pointer stays there.
    put({ x: x - (x - place.x) * by, y: y - (y - place.y) * by, scale });
  };
  const zoom: View['zoom'] = (factor) =>
    zoomAt(factor, frame.clientWidth / 2, frame.clientHeight / 2);
  const fit = (): void => put({ x: 0, y: 0, scale: 1 });
  const move = (x: number, y: number): void => put({ ...place, x: place.x + x, y: place.y + y });

  frame.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const { left, top } = frame.getBoundingClientRect();
      zoomAt(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  drag(frame, move, (x, y) => clicked(nodeAt(sheet, x, y)));
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(1.25),
    '-': () => zoom(0.8),
    '0': fit,
    ArrowLeft: () => move(step, 0),
    ArrowRight: () => move(-step, 0),
    ArrowUp: () => move(0, step),
    ArrowDown: () => move(0, -step),
    Escape: () => clicked(undefined),
  };
  frame.addEventListener('keydown', (event) => {
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  new ResizeObserver(drawMark).observe(frame);
  return {
    show(picture) {
      sheet.replaceChildren(picture);
      drawMark();
    },
    zoom,
    fit,
    mark(path) {
      marked = path;
      drawMark();
    },
  };
}

/** The path of the smallest node at a point of the window: those around it are larger. */
function nodeAt(sheet: Element, x: number, y: number): string | undefined {
  let found: { readonly element: Element; readonly area: number } | undefined;
  for (const element of nodesIn(sheet)) {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) continue;
    const area = (right - left) * (bottom - top);
    if (found === undefined || area <= found.area) found = { element, area };
  }
  return found && pathOf(found.element);
}

/** Tells how far a pointer is dragged, and where it only clicks. */
function drag(
  frame: HTMLElement,
  moved: (x: number, y: number) => void,
  clicked: (x: number, y: number) => void,
): void {
  let last: PointerEvent | undefined;
  let way = 0;
  frame.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    last = event;
    way = 0;
    frame.setPointerCapture(event.pointerId);
  });
  frame.addEventListener('pointermove', (event) => {
    if (last === undefined || event.pointerId !== last.pointerId) return;
    const [x, y] = [event.clientX - last.clientX, event.clientY - last.clientY];
    way += Math.hypot(x, y);
    last = event;
    if (way > slackPixels) moved(x, y);
  });
  frame.addEventListener('pointerup', (event) => {
    if (last === undefined) return;
    last = undefined;
    if (way <= slackPixels) clicked(event.clientX, event.clientY);
  });
  frame.addEventListener('pointercancel', () => {
    last = undefined;
  });
}

import {
  connectHost,
  type Host,
  type HostContext,
  type HostEvents,
  type ToolResult,
} from './host.ts';
import { pictureIn, pictureOf } from './markup.ts';
import { createView } from './view.ts';

/** What the tool answers of a picture. */
interface Drawn {
  readonly scenePath: string;
  readonly width: number;
  readonly height: number;
  readonly svg?: string;
}

const part = (name: string): HTMLElement => {
  const element = document.getElementById(name);
  if (element === null) throw new Error(`there is no #${name}`);
  return element;
};

const parts = {
  frame: part('frame'),
  said: part('said'),
  ask: part('ask') as HTMLButtonElement,
  again: part('again') as HTMLButtonElement,
};

function say(text: string): void {
  parts.said.textContent = text;
}

function drawnIn({ structuredContent }: ToolResult): Drawn | undefined {
  const { data } = structuredContent ?? {};
  return typeof data === 'object' && data !== null && 'scenePath' in data
    ? (data as Drawn)
    : undefined;
}

function whyNot({ content = [] }: ToolResult): string {
  return content.find(({ text }) => text !== undefined)?.text ?? 'There is no picture.';
}

function follow({ theme, styles }: HostContext): void {
  const { style } = document.documentElement;
  if (theme !== undefined) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (value !== undefined) style.setProperty(name, value);
  }
}

/** What is shown and selected now. */
interface Shown {
  drawn?: Drawn | undefined;
  selected?: string | undefined;
}

function refused(error: unknown): void {
  say(error instanceof Error ? error.message : String(error));
}

function sayTitle({ drawn, selected }: Shown): void {
  say(`${drawn?.scenePath ?? ''}${selected === undefined ? '' : `: ${selected}`}`);
}

/** Lets the model know what its user has selected. */
function tellModel({ capabilities, request }: Host, { drawn, selected }: Shown): void {
  if (drawn === undefined || capabilities['updateModelContext'] === undefined) return;
  const { scenePath } = drawn;
  const text =
    selected === undefined ? 'No node is selected.' : `Selected in ${scenePath}: ${selected}`;
  const structuredContent = { scenePath, selectedNode: selected ?? null };
  const content = [{ type: 'text', text }];
  request('ui/update-model-context', { content, structuredContent }).catch(refused);
}

/** Asks the model to look at what is selected. */
function askModel({ request }: Host, { drawn, selected }: Shown): void {
  const text = `Look at the node ${selected} of ${drawn?.scenePath}.`;
  request('ui/message', { role: 'user', content: [{ type: 'text', text }] }).catch(refused);
}

/** Tells the host how large the page is, until it is let go. */
function tellSize({ notify }: Host): () => void {
  const sized = new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    notify('ui/notifications/size-changed', size);
  });
  sized.observe(document.body);
  return () => sized.disconnect();
}

/** Shows the picture of a scene, and tells the host of the node that is selected. */
function begin(host: Host): HostEvents {
  const { capabilities, context } = host;
  // A gateway may know the tool by another name.
  const tool = context.toolInfo?.tool?.name ?? 'get_scene_picture';
  const mayCall = capabilities['serverTools'] !== undefined;
  const shown: Shown = {};
  let args: Readonly<Record<string, unknown>> = {};
  const view = createView(parts.frame, (path) => {
    shown.selected = path;
    view.mark(path);
    parts.ask.disabled = path === undefined || capabilities['message'] === undefined;
    sayTitle(shown);
    tellModel(host, shown);
  });
  const show = (picture: Element, drawn: Drawn): void => {
    shown.drawn = drawn;
    parts.frame.style.aspectRatio = `${drawn.width} / ${drawn.height}`;
    view.show(picture);
    sayTitle(shown);
  };
  /** As markup: its nodes can be pointed at. */
  const draw = async (scenePath: string): Promise<void> => {
    const asked = { scenePath, nodeUuid: args['nodeUuid'], format: 'svg', includeImages: true };
    const result: ToolResult = await host.request('tools/call', { name: tool, arguments: asked });
    const drawn = drawnIn(result);
    const picture = drawn?.svg === undefined ? undefined : pictureIn(drawn.svg);
    if (drawn === undefined || picture === undefined) say(whyNot(result));
    else show(picture, drawn);
  };
  const redraw = (scenePath: string): void => {
    say('Drawing…');
    draw(scenePath).catch(refused);
  };
  const actions = {
    out: () => view.zoom(0.8),
    fit: () => view.fit(),
    in: () => view.zoom(1.25),
    again: () => shown.drawn && redraw(shown.drawn.scenePath),
    ask: () => askModel(host, shown),
  };
  for (const [name, act] of Object.entries(actions)) part(name).addEventListener('click', act);
  parts.again.disabled = !mayCall;
  follow(context);
  const letGo = tellSize(host);
  return {
    input(given) {
      args = given;
    },
    result(result) {
      const drawn = drawnIn(result);
      const image = result.content?.find(({ type }) => type === 'image');
      if (drawn !== undefined && mayCall) redraw(drawn.scenePath);
      else if (drawn !== undefined && image?.data !== undefined) {
        const { data, mimeType = 'image/png' } = image;
        show(pictureOf({ data, mimeType }), drawn);
      } else say(whyNot(result));
    },
    cancelled: () => say('The call was given up.'),
    context: follow,
    ended: letGo,
  };
}

connectHost(begin).catch(refused);

import {
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  readonly columns: ReactNode;
  /** How many columns there are. */
  readonly columnCount: number;
  readonly row: (index: number) => ReactNode;
  readonly keyOf: (index: number) => number | string;
  readonly selected: number | undefined;
  readonly select: (index: number) => void;
  /** Stays at the end while more comes. */
  readonly follows: boolean;
  /** Called when somebody scrolls away from the end, or back to it. */
  readonly setFollows: (follows: boolean) => void;
}

/** Rows beyond what is seen, so that fast scrolling shows no gaps. */
const spare = 8;

/** A table of any length, of which only what is seen is there; by mouse and by keys. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, columns, columnCount, row, keyOf, selected, follows } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (follows && element !== null) element.scrollTop = count * rowHeight;
  }, [follows, count, rowHeight, height]);
  useKeptInView(scroller, { selected, rowHeight, follows });
  const keys = useKeys(props, Math.max(Math.floor(height / rowHeight) - 2, 1));
  const first = Math.max(Math.floor(top / rowHeight) - spare, 0);
  const last = Math.min(Math.ceil((top + height) / rowHeight) + spare, count);
  const shown = [];
  for (let index = first; index < last; index += 1) {
    shown.push(
      <div
        key={keyOf(index)}
        id={`${id}-${keyOf(index)}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={index === selected}
        className="row"
        style={{ transform: `translateY(${index * rowHeight}px)`, height: rowHeight }}
        onClick={() => props.select(index)}
      >
        {row(index)}
      </div>,
    );
  }
  return (
    <div
      ref={scroller}
      className="list"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columnCount}
      aria-activedescendant={selected === undefined ? undefined : `${id}-${keyOf(selected)}`}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
        const left =
          currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight;
        if (!follows && left < 2 && currentTarget.scrollTop > top) props.setFollows(true);
        if (follows && left > rowHeight * 2) props.setFollows(false);
      }}
      onKeyDown={keys}
    >
      <div className="head" role="row" aria-rowindex={1}>
        {columns}
      </div>
      <div className="rows" role="rowgroup" style={{ height: count * rowHeight }}>
        {shown}
      </div>
    </div>
  );
}

function useKeys(props: VirtualListProps, page: number): (event: React.KeyboardEvent) => void {
  const { count, selected = -1, select, setFollows } = props;
  return useCallback(
    (event) => {
      const steps: Readonly<Record<string, number>> = {
        ArrowDown: selected + 1,
        ArrowUp: selected < 0 ? count - 1 : selected - 1,
        PageDown: selected + page,
        PageUp: selected - page,
        Home: 0,
        End: count - 1,
      };
      const wanted = steps[event.key];
      if (wanted === undefined || count === 0) return;
      event.preventDefault();
      setFollows(false);
      select(Math.min(Math.max(wanted, 0), count - 1));
    },
    [count, selected, page, select, setFollows],
  );
}

/** What is selected by keys is seen. */
function useKeptInView(
  scroller: RefObject<HTMLDivElement | null>,
  {
    selected,
    rowHeight,
    follows,
  }: {
    readonly selected: number | undefined;
    readonly rowHeight: number;
    readonly follows: boolean;
  },
): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null || selected === undefined || follows) return;
    const at = selected * rowHeight;
    const room = element.clientHeight - 2 * rowHeight;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at > element.scrollTop + room) element.scrollTop = at - room;
  }, [scroller, selected, rowHeight, follows]);
}

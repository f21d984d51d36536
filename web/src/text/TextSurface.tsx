import "./families.css";
import "./serif.css";
import {
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Drawn, depth, isTooDeep, type Laid, type LineBox, lineBoxes, placeOf, select, within } from "./drawn";
import { Connector, Labels, Lines } from "./Lines";
import { overlap, paragraphAt, paragraphs, type Span } from "./spans";
import styles from "./surface.module.css";

/** Methods of the surface for a page. */
export interface SurfaceHandle {
  focus(span?: Span): void;
  selected(): Span | null;
  /** Return the box of a span's last line, relative to the surface's frame; null if it has none. */
  boxOf(span: Span): LineBox | null;
  /** Return the box of the line on which a span begins; null if it has none. */
  firstBoxOf(span: Span): LineBox | null;
  show(span: Span): void;
}

interface TextSurfaceProps {
  text: string;
  label: string;
  drawn: readonly Drawn[];
  /** Fragments drawn in the same text on a neighbouring surface: lines of the two stay level. */
  level?: readonly Drawn[];
  active: string | null;
  /** Span of the active fragment, or of the text about to be annotated; null for none. */
  band: Span | null;
  /** True if the surface has a caret, and with it selection by keyboard. */
  caret: boolean;
  onSelected: (span: Span, alt: boolean) => void;
  onTyped: (text: string) => void;
  onClicked: (at: number) => void;
  onPick: (key: string) => void;
  handle: RefObject<SurfaceHandle | null>;
  children?: ReactNode;
}

/**
 * An essay with its fragments. The text is plain text nodes that are never changed: the surface is editable so that
 * caret, selection and reading aloud are the browser's own on every system, and refuses every edit.
 *
 * Clause: platform §8 accessible
 */
export function TextSurface(props: TextSurfaceProps) {
  const { text, drawn, active, band, handle } = props;
  const surface = useRef<HTMLDivElement>(null);
  const laid = useRef<Laid | null>(null);
  const all = useMemo(() => paragraphs(text), [text]);
  const version = useLayoutVersion(surface);
  const [pointed, setPointed] = useState<string | null>(null);
  useLayoutEffect(() => {
    laid.current = surface.current && { surface: surface.current, paragraphs: all };
  });
  const lines = useLines(laid, all, version);
  useHandle(handle, laid, all);
  const highlighted = pointed ?? active;
  return (
    <div className={styles.frame}>
      <div className={styles.under}>
        {band && band.start < band.end && version > 0 && <Band lines={lines({ ...band, key: "band" })} />}
        {version > 0 &&
          all.map((paragraph) => (
            <Lines
              key={paragraph.start}
              drawn={within(drawn, paragraph).filter((mark) => !isTooDeep(mark))}
              active={highlighted}
              lines={lineIn(lines, paragraph)}
            />
          ))}
      </div>
      {version > 0 && (
        <Connector drawn={drawn} active={active} lines={lines} edge={surface.current?.clientWidth ?? 0} />
      )}
      <Refusing {...props} surface={surface} laid={laid} all={all} />
      {version > 0 &&
        all.map((paragraph) => (
          <Deeper
            key={paragraph.start}
            marks={within(drawn, paragraph).filter(isTooDeep)}
            lines={lineIn(lines, paragraph)}
            onPick={props.onPick}
          />
        ))}
      {version > 0 && (
        <Labels drawn={drawn} active={highlighted} lines={lines} onPoint={setPointed} onPick={props.onPick} />
      )}
      {props.children}
    </div>
  );
}

type LinesOf = (of: Span & { key: string }) => readonly LineBox[];

/** Return a number that grows when the text is laid out again; 0 before the first layout. */
function useLayoutVersion(surface: RefObject<HTMLDivElement | null>): number {
  const [version, setVersion] = useState(0);
  useLayoutEffect(() => {
    const element = surface.current;
    if (!element) return;
    return onLayout([element], () => setVersion((now) => now + 1));
  }, [surface]);
  return version;
}

/** Call a function now and whenever the elements are laid out again; return how to stop. */
export function onLayout(elements: Iterable<Element>, again: () => void): () => void {
  const observer = new ResizeObserver(again);
  for (const element of elements) observer.observe(element);
  // A font that loads late moves words without changing an element's size.
  document.fonts.addEventListener("loadingdone", again);
  again();
  return () => {
    observer.disconnect();
    document.fonts.removeEventListener("loadingdone", again);
  };
}

/** Return a function that measures each span once per layout. */
function useLines(laid: RefObject<Laid | null>, all: readonly Span[], version: number): LinesOf {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout is another measure
  return useMemo(() => {
    const measured = new Map<string, LineBox[]>();
    return (span: Span) => {
      const key = `${span.start} ${span.end}`;
      const boxes = measured.get(key) ?? measure(laid.current, all, span);
      measured.set(key, boxes);
      return boxes;
    };
  }, [laid, all, version]);
}

function measure(laid: Laid | null, all: readonly Span[], span: Span): LineBox[] {
  if (!laid) return [];
  const boxes: LineBox[] = [];
  for (let place = paragraphAt(all, span.start); place < all.length && overlap(all[place] as Span, span); place += 1) {
    boxes.push(...lineBoxes(laid, place, span));
  }
  return boxes;
}

/** Functions by paragraph: the same within one layout, so that unchanged paragraphs are not painted again. */
const inParagraph = new WeakMap<LinesOf, Map<number, LinesOf>>();

function lineIn(lines: LinesOf, { start, end }: Span): LinesOf {
  const byStart = inParagraph.get(lines) ?? new Map<number, LinesOf>();
  inParagraph.set(lines, byStart);
  const linesOf =
    byStart.get(start) ??
    ((span: Span & { key: string }) =>
      lines({ key: span.key, start: Math.max(span.start, start), end: Math.min(span.end, end) }));
  byStart.set(start, linesOf);
  return linesOf;
}

function useHandle(handle: RefObject<SurfaceHandle | null>, laid: RefObject<Laid | null>, all: readonly Span[]): void {
  useEffect(() => {
    const at = (place: number) => paragraphAt(all, place);
    handle.current = {
      focus(span) {
        laid.current?.surface.focus({ preventScroll: true });
        if (laid.current && span) select(laid.current, span, at);
      },
      selected: () => laid.current && selectedSpan(laid.current),
      boxOf: (span) => measure(laid.current, all, span).at(-1) ?? null,
      firstBoxOf: (span) => measure(laid.current, all, span)[0] ?? null,
      show(span) {
        const line = measure(laid.current, all, span)[0];
        if (!laid.current || !line) return;
        // Content over the page's ends must not cover the line; a line out of sight is scrolled to the upper third.
        const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
        const from = Number.parseFloat(scrollPaddingTop) || 0;
        const to = window.innerHeight - (Number.parseFloat(scrollPaddingBottom) || 0);
        const { top } = laid.current.surface.getBoundingClientRect();
        if (top + line.top >= from && top + line.bottom <= to) return;
        window.scrollBy({ top: top + line.top - from - (to - from) / 3, behavior: "instant" });
      },
    };
  }, [handle, laid, all]);
}

interface RefusingProps extends TextSurfaceProps {
  surface: RefObject<HTMLDivElement | null>;
  laid: RefObject<Laid | null>;
  all: readonly Span[];
}

function Refusing({ surface, laid, all, text, label, drawn, level = drawn, caret, ...listeners }: RefusingProps) {
  const [remounted, remount] = useState(0);
  const alt = useRef(false);
  useSelectedSpan(laid, (span) => listeners.onSelected(span, alt.current));
  useRefusal(surface, listeners.onTyped, remounted);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another element after remounting
  useEffect(() => {
    const element = surface.current;
    if (!element) return;
    // An input method may change the text without asking; then the text is restored.
    const observer = new MutationObserver(() => {
      if (element.textContent !== text) remount((count) => count + 1);
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, [surface, text, remounted]);
  const clicked = useCallback(
    (event: React.MouseEvent) => {
      alt.current = event.altKey;
      const span = laid.current && selectedSpan(laid.current);
      if (span && span.start === span.end) listeners.onClicked(span.start);
    },
    [laid, listeners.onClicked],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is a textbox's or a document's
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: they are a textbox's
    <div
      key={remounted}
      ref={surface}
      className={styles.text}
      contentEditable={caret ? "true" : undefined}
      suppressContentEditableWarning
      role={caret ? "textbox" : "document"}
      aria-multiline={caret ? "true" : undefined}
      aria-readonly={caret ? "true" : undefined}
      aria-label={label}
      tabIndex={0}
      spellCheck={false}
      translate="no"
      inputMode="none"
      onPointerDown={(event) => {
        alt.current = event.altKey;
      }}
      onPointerUp={(event) => {
        alt.current = event.altKey;
      }}
      onClick={clicked}
      onKeyDown={(event) => {
        alt.current = event.altKey;
      }}
    >
      {all.map((paragraph) => (
        <Paragraph
          key={paragraph.start}
          text={text.slice(paragraph.start, paragraph.end)}
          below={roomFor([drawn, level], paragraph, false)}
          above={roomFor([drawn, level], paragraph, true)}
        />
      ))}
    </div>
  );
}

/** Refuse every edit of the text, and report the typed text. */
function useRefusal(surface: RefObject<HTMLDivElement | null>, typed: (text: string) => void, remounted: number): void {
  const latest = useRef(typed);
  latest.current = typed;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another element after remounting
  useEffect(() => {
    const element = surface.current;
    if (!element) return;
    const refuse = (event: Event) => event.preventDefault();
    const beforeInput = (event: InputEvent) => {
      event.preventDefault();
      if (event.inputType === "insertText" && event.data) latest.current(event.data);
    };
    const others = ["cut", "paste", "drop", "dragstart"];
    element.addEventListener("beforeinput", beforeInput);
    for (const name of others) element.addEventListener(name, refuse);
    return () => {
      element.removeEventListener("beforeinput", beforeInput);
      for (const name of others) element.removeEventListener(name, refuse);
    };
  }, [surface, remounted]);
}

function roomFor(all: readonly (readonly Drawn[])[], paragraph: Span, above: boolean): number {
  return Math.max(...all.map((drawn) => depth(within(drawn, paragraph), above)));
}

const USUAL = 3;

/** A paragraph with its line end; with more lanes than fit between two lines, the lines move apart. */
const Paragraph = memo(function Paragraph({ text, below, above }: { text: string; below: number; above: number }) {
  const more = Math.max(0, below - USUAL) + Math.max(0, above - 1);
  return <p style={more > 0 ? { lineHeight: `calc(2.1em + ${more * 4}px)` } : undefined}>{text}</p>;
});

/** Button with the number of a paragraph's fragments in unpainted lanes; a click picks the first of them. */
function Deeper({ marks, lines, onPick }: { marks: readonly Drawn[]; lines: LinesOf; onPick: (key: string) => void }) {
  const [first] = marks;
  const top = first && lines(first)[0]?.top;
  if (!first || top === undefined) return null;
  return (
    <button type="button" tabIndex={-1} className={styles.deeper} style={{ top }} onClick={() => onPick(first.key)}>
      +{marks.length}
    </button>
  );
}

function Band({ lines }: { lines: readonly LineBox[] }) {
  return (
    <svg className={styles.band} aria-hidden="true">
      {lines.map((box) => (
        <rect
          key={`${box.left} ${box.top}`}
          x={box.left}
          y={box.top - 2}
          width={box.right - box.left}
          height={box.bottom - box.top + 4}
        />
      ))}
    </svg>
  );
}

/** Report every change of the browser's selection inside the surface; a caret is an empty span. */
function useSelectedSpan(laid: RefObject<Laid | null>, select: (span: Span) => void): void {
  const latest = useRef(select);
  latest.current = select;
  useEffect(() => {
    const changed = () => {
      const span = laid.current && selectedSpan(laid.current);
      if (span) latest.current(span);
    };
    document.addEventListener("selectionchange", changed);
    return () => document.removeEventListener("selectionchange", changed);
  }, [laid]);
}

function selectedSpan(laid: Laid): Span | null {
  const selection = document.getSelection();
  if (!selection || selection.rangeCount === 0) return null;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  const start = placeOf(laid, startContainer, startOffset);
  const end = placeOf(laid, endContainer, endOffset);
  return start === null || end === null ? null : { start, end };
}

import { useLingui } from "@lingui/react/macro";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { sideOf } from "@/text/adoption";
import { type Code, recentCodes } from "@/text/codes";
import { type Command, change, marking, removal } from "@/text/commands";
import { quoteOf } from "@/text/drawn";
import { type Fragment, freshId, inOrder, isSame, isWholeText } from "@/text/markup";
import { hits, outward, type Span, snap } from "@/text/spans";
import { type SurfaceHandle, TextSurface } from "@/text/TextSurface";
import { Button, isPhone } from "@/ui/controls";
import { Table } from "@/ui/Table";
import styles from "./annotator.module.css";
import { Details, Fragments, focusDetails, WholeText } from "./Details";
import { type Desk, type Id, type PickRequest, type Sheet, type Steps, useRoom, useSteps, type View } from "./desk";
import { type Adopting, Earlier, Reasons, rowOf, useDrawn, useThird } from "./Earlier";
import { Exchange, Grade, Workplace } from "./HandIn";
import { Dialog } from "./Header";
import { type Picked, Picker } from "./Picker";
import { type Suggesting, Suggestions, suggestionAt, useSuggestions } from "./Suggestions";

const BLANK = { subtype: "", comment: "", explanation: "", correction: "", tag: "" };

/**
 * The annotator: an essay's text with its fragments, their details and the grade; usable by mouse and by keys.
 *
 * Clause: R 2.19, R 2.29, platform §8 annotator
 */
export function Annotator({ desk }: { desk: Desk }) {
  const { t } = useLingui();
  const { fragments, essay, codes, uses } = desk;
  const [activeId, activate] = useState<Id | null>(null);
  const [selected, setSelected] = useState<{ span: Span; alt: boolean }>({ span: { start: 0, end: 0 }, alt: false });
  const [request, pick] = useState<PickRequest | null>(null);
  const [sheet, setSheet] = useState<Sheet>(null);
  const [status, announce] = useState("");
  const surface = useRef<SurfaceHandle>(null);
  const root = useRef<HTMLDivElement>(null);
  const last = useRef<Picked | null>(null);
  useRoom(root);
  const ordered = useMemo(() => inOrder(fragments), [fragments]);
  const active = fragments.find((fragment) => fragment.id === activeId) ?? null;
  const isOpen = desk.closed === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is looked at, not when its words change
  useEffect(() => {
    if (active && !isWholeText(active) && isPhone()) surface.current?.show(active);
  }, [active?.id]);
  const snapped = useMemo(() => snap(essay.text, selected.span, selected.alt), [essay.text, selected]);
  // Read the selection when a key is pressed: the browser's selection event comes later than fast typing.
  const chosen = () => surface.current?.selected() ?? selected.span;
  const meantNow = () => snap(essay.text, chosen(), selected.alt);

  const toText = useCallback((span?: Span) => surface.current?.focus(span), []);
  const goTo = useCallback(
    (id: Id) => {
      activate(id);
      const target = desk.fragments.find((fragment) => fragment.id === id);
      if (target && !isWholeText(target)) surface.current?.show(target);
    },
    [desk.fragments],
  );
  const view: View = useMemo(
    () => ({ active, activate, goTo, pick, announce, surface, toText }),
    [active, goTo, toText],
  );

  const mark = (span: Span, { code, ...written }: Picked) => {
    const fragment = { ...BLANK, ...span, ...written, id: freshId(fragments), code: code.code };
    const again = fragments.some((other) => isSame(other, fragment));
    desk.run(marking(fragments, fragment));
    desk.picked(code.code);
    last.current = bare(code, written.subtype);
    activate(fragment.id);
    announce(
      again
        ? t`${code.code} is marked here already: ${quoteOf(essay.text, fragment)}`
        : t`Marked: ${code.code}, ${quoteOf(essay.text, fragment)}`,
    );
    toText(span.end > 0 ? { start: span.end, end: span.end } : undefined);
  };
  const picked = (choice: Picked) => {
    if (!request) return;
    pick(null);
    if ("span" in request.for) return mark(request.for.span, choice);
    const { id } = request.for;
    const target = fragments.find((fragment) => fragment.id === id);
    const { code, subtype, comment, correction } = choice;
    const fields = { ...(comment && { comment }), ...(correction && { correction }) };
    if (target) desk.run(change(target, { code: code.code, subtype, ...fields }, "code"));
    desk.picked(code.code);
    focusDetails();
  };
  const stopPicking = () => {
    if (!request) return;
    pick(null);
    if ("span" in request.for) toText(isWholeText(request.for.span) ? undefined : request.for.span);
  };
  const typed = (text: string) => {
    const span = meantNow();
    if (!isOpen || !span) return;
    const digit = /^[1-9]$/.test(text) ? recentCodes(codes, uses)[Number(text) - 1] : undefined;
    if (digit) mark(span, bare(digit));
    else pick({ for: { span }, typed: text });
  };
  const clicked = (at: number) => {
    const hit = hits(fragments, at);
    activate(outward(hit, active && hit.includes(active) ? active : undefined)?.id ?? null);
  };
  const remove = useCallback(
    (command: Command) => {
      desk.run(command);
      activate(null);
    },
    [desk.run],
  );
  const steps = useSteps(desk, view);
  const adopting = useThird(desk, view);
  const suggesting = useSuggestions(desk, view);
  useKeys(root, {
    desk,
    view,
    adopting,
    suggesting,
    ordered,
    steps,
    openPicker: () => {
      const span = meantNow();
      if (span) pick({ for: { span }, typed: "" });
    },
    again: () => {
      const span = meantNow();
      if (span && last.current) mark(span, last.current);
    },
    wholeText: () => pick({ for: { span: { start: 0, end: 0 } }, typed: "" }),
    outward: () => clicked(chosen().start),
    remove: () => active && remove(removal(fragments, active.id)),
    open: setSheet,
  });

  const drawn = useDrawn(desk, adopting, suggesting?.all ?? null);
  const spanOf = request && "span" in request.for ? request.for.span : null;
  const looked = adopting?.row
    ? (sideOf(adopting.third, adopting.row, "x") ?? sideOf(adopting.third, adopting.row, "y"))
    : null;
  const band = spanOf && !isWholeText(spanOf) ? spanOf : (active ?? looked ?? suggesting?.chosen?.suggestion ?? null);
  const pointed = (key: string) => {
    const target = fragments.find((fragment) => String(fragment.id) === key);
    if (target) return goTo(target.id);
    const row = adopting && rowOf(adopting.third, key);
    if (row) adopting.choose(row);
    const suggestion = suggesting && suggestionAt(suggesting, key);
    if (suggestion) suggesting.choose(suggestion.key);
  };
  return (
    <Workplace {...{ desk, view, steps, sheet, status }} open={setSheet} ref={root}>
      {adopting && <Reasons adopting={adopting} />}
      <div className={styles.columns} data-part="columns">
        <div className={styles.essay} data-zone="text">
          {essay.meta.taskText && (
            <details className={styles.task}>
              <summary>{essay.meta.theme || t`The task`}</summary>
              <p>{essay.meta.taskText}</p>
            </details>
          )}
          <TextSurface
            text={essay.text}
            label={t`The essay. Select words and type a code.`}
            drawn={drawn}
            active={active ? String(active.id) : null}
            band={band}
            caret={isOpen}
            handle={surface}
            onSelected={(span, alt) => setSelected({ span, alt })}
            onTyped={typed}
            onClicked={clicked}
            onPick={pointed}
          >
            {isOpen && !request && snapped && selected.span.start < selected.span.end && (
              <button
                type="button"
                className={styles.floating}
                style={below(surface.current, snapped)}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => pick({ for: { span: snapped }, typed: "" })}
              >
                {t`Mark`} <kbd>⏎</kbd>
              </button>
            )}
            {request && (
              <Picker
                codes={codes}
                uses={uses}
                typed={request.typed}
                wholeText={spanOf !== null && isWholeText(spanOf)}
                place={below(surface.current, band)}
                titleOf={desk.titleOf}
                onPicked={picked}
                onClosed={stopPicking}
              />
            )}
          </TextSurface>
        </div>
        <div className={styles.side}>
          {adopting && <Earlier adopting={adopting} />}
          {suggesting && <Suggestions suggesting={suggesting} />}
          <Fragments ordered={ordered} remove={remove} />
          <Details />
        </div>
        <div className={`${styles.side} ${styles.verdict}`} data-zone="grade">
          <Grade />
          <WholeText add={() => pick({ for: { span: { start: 0, end: 0 } }, typed: "" })} />
        </div>
      </div>
      {sheet === "shortcuts" && (
        <Shortcuts third={desk.third !== null} suggested={suggesting !== null} close={() => setSheet(null)} />
      )}
      {sheet === "exchange" && <Exchange close={() => setSheet(null)} />}
    </Workplace>
  );
}

function bare(code: Code, subtype = ""): Picked {
  return { code, subtype, comment: "", correction: "" };
}

/** Return the position below a span's last line, relative to the surface. */
function below(surface: SurfaceHandle | null, span: Span | null): { left: number; top: number } {
  const box = span && surface?.boxOf(span);
  return box ? { left: Math.max(0, Math.min(box.left, 360)), top: box.bottom + 4 } : { left: 0, top: 0 };
}

interface KeysOptions {
  desk: Desk;
  view: View;
  adopting: Adopting | null;
  suggesting: Suggesting | null;
  ordered: readonly Fragment[];
  steps: Steps;
  openPicker: () => void;
  again: () => void;
  wholeText: () => void;
  outward: () => void;
  remove: () => void;
  open: (sheet: Sheet) => void;
}

/** Handle the annotator's keys by their physical position: the same in every keyboard layout, wherever the focus is. */
function useKeys(root: RefObject<HTMLElement | null>, options: KeysOptions): void {
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!root.current || document.querySelector("dialog[open]")) return;
      const work = keyed(event, root.current, latest.current);
      if (!work) return;
      event.preventDefault();
      work();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [root]);
}

function keyed(event: KeyboardEvent, root: HTMLElement, options: KeysOptions): (() => void) | undefined {
  const { desk, steps } = options;
  const isOpen = desk.closed === null;
  const control = event.ctrlKey || event.metaKey;
  const name = [control && "Ctrl", event.altKey && "Alt", event.shiftKey && "Shift", event.code]
    .filter(Boolean)
    .join("+");
  const anywhere = new Map([
    ["F1", () => options.open("shortcuts")],
    ["F6", () => walk(root, 1)],
    ["Shift+F6", () => walk(root, -1)],
    ["Alt+ArrowDown", () => along(options, 1)],
    ["Alt+ArrowUp", () => along(options, -1)],
  ]);
  const working = new Map([
    ["Ctrl+KeyZ", steps.undo],
    ["Ctrl+Shift+KeyZ", steps.redo],
    ["Ctrl+KeyY", steps.redo],
    ["Ctrl+KeyS", () => void desk.saveNow()],
    ["Ctrl+Shift+Enter", () => options.open("hand-in")],
    ["Ctrl+Shift+KeyF", options.wholeText],
    ["Ctrl+KeyK", () => zone(root, "details")?.querySelector<HTMLElement>("select")?.focus()],
  ]);
  const action = anywhere.get(name) ?? (isOpen ? working.get(name) : undefined);
  return (
    action ?? decidingKey(event, name, options) ?? (inText(event) ? inSurface(event, name, isOpen, options) : undefined)
  );
}

/** Return the action of a key for earlier markups and suggestions, unless text is being typed or is selected. */
function decidingKey(event: KeyboardEvent, name: string, options: KeysOptions): (() => void) | undefined {
  const { adopting, suggesting } = options;
  const isField = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
  if (isField || (inText(event) && !document.getSelection()?.isCollapsed)) return undefined;
  if (suggesting) {
    return new Map([
      ["BracketRight", () => suggesting.step(1)],
      ["BracketLeft", () => suggesting.step(-1)],
      ["Equal", () => suggesting.accept()],
      ["Minus", () => suggesting.reject()],
    ]).get(name);
  }
  if (!adopting) return undefined;
  return new Map([
    ["BracketRight", () => adopting.step(1)],
    ["BracketLeft", () => adopting.step(-1)],
    ["Digit1", () => adopting.adopt("x")],
    ["Digit2", () => adopting.adopt("y")],
    ["Shift+Digit1", () => adopting.take("x")],
    ["Shift+Digit2", () => adopting.take("y")],
    ["Digit0", adopting.adoptAgreed],
  ]).get(name);
}

function inSurface(
  event: KeyboardEvent,
  name: string,
  isOpen: boolean,
  options: KeysOptions,
): (() => void) | undefined {
  const { view } = options;
  const isCollapsed = document.getSelection()?.isCollapsed ?? true;
  if (name === "Alt+Enter") return options.outward;
  if (name === "Escape" && view.active) return () => view.activate(null);
  if (event.key === "?" && isCollapsed) return () => options.open("shortcuts");
  if (!isOpen) return undefined;
  if (name === "Enter") return isCollapsed ? focusDetails : options.openPicker;
  if (name === "Ctrl+Enter") return options.again;
  if (name === "Delete" && isCollapsed && view.active) return options.remove;
  return undefined;
}

function inText(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && (event.target.role === "textbox" || event.target.role === "document");
}

/** Go to the fragment before or after the active one, in the text's order. */
function along({ ordered, view }: KeysOptions, by: 1 | -1): void {
  if (ordered.length === 0) return;
  const at = ordered.findIndex((fragment) => fragment.id === view.active?.id);
  const from = at < 0 && by < 0 ? 0 : at;
  const next = ordered[(from + by + ordered.length) % ordered.length];
  if (next) view.goTo(next.id);
}

const ZONES = ["text", "earlier", "list", "details", "grade"];

function zone(root: HTMLElement, name: string): HTMLElement | null {
  return root.querySelector(`[data-zone=${name}]`);
}

function walk(root: HTMLElement, by: 1 | -1): void {
  const here = ZONES.findIndex((name) => zone(root, name)?.contains(document.activeElement));
  for (let step = 1; step <= ZONES.length; step += 1) {
    const name = ZONES[(here + by * step + ZONES.length * 2) % ZONES.length] as string;
    const first = firstShown(zone(root, name), "[role=textbox], [tabindex='0'], button, input");
    if (first) {
      first.focus();
      return;
    }
  }
}

/** Return the first visible match of a selector: hidden elements take no focus (the close button is phone-only). */
function firstShown(within: HTMLElement | null, kinds: string): HTMLElement | undefined {
  return [...(within?.querySelectorAll<HTMLElement>(kinds) ?? [])].find((element) => element.checkVisibility());
}

function Shortcuts({ third, suggested, close }: { third: boolean; suggested: boolean; close: () => void }) {
  const { t } = useLingui();
  const suggesting: [string, string][] = [
    ["], [", t`the next, the previous open suggestion`],
    ["=, −", t`accept the suggestion, reject it`],
  ];
  const adopting: [string, string][] = [
    ["]", t`the next place where the two earlier markups differ`],
    ["[", t`the previous place where they differ`],
    ["1, 2", t`adopt from the first, from the second`],
    ["Shift+1, Shift+2", t`take from it only the code, or the place, that differs`],
    ["0", t`adopt everything on which they agree`],
  ];
  const usual = suggested ? t`text, suggestions, list, details, grade` : t`text, list, details, grade`;
  const zones = third ? t`text, earlier markups, list, details, grade` : usual;
  const rows: [string, string][] = [
    [t`letters, Enter`, t`find a code for the selected words`],
    [t`code/subtype; comment → correction`, t`all of it at once, while a code is searched`],
    ["1 … 9", t`take one of the codes used last for the selected words`],
    ["Ctrl+Enter", t`the same code again for the selected words`],
    ["Ctrl+Shift+F", t`an error of the whole text`],
    ["Alt+↓, Alt+↑", t`next, previous fragment`],
    ["Alt+Enter", t`the fragment at the caret, again: the one around it`],
    ["Enter", t`the active fragment's comment; Tab: correction; Enter or Esc: back to the text`],
    ["Delete", t`remove the active fragment`],
    ["← →", t`in the list: move the fragment's end by a word; with Shift its start`],
    ["Ctrl+K", t`link the active fragment: type a number`],
    ...(third ? adopting : []),
    ...(suggested ? suggesting : []),
    ["F6, Shift+F6", zones],
    ["Ctrl+Z, Ctrl+Shift+Z", t`undo, redo`],
    ["Ctrl+S", t`save now`],
    ["Ctrl+Shift+Enter", t`hand in`],
    ["Esc", t`close what lies on top, leave the fragment`],
    ["F1, ?", t`this list`],
  ];
  return (
    <Dialog title={t`Keys`} close={close}>
      <Table
        rows={rows}
        rowKey={([keys]) => keys}
        columns={[{ cell: ([keys]) => <kbd>{keys}</kbd> }, { cell: ([, does]) => does }]}
      />
      <div className={styles.row}>
        <Button onPress={close}>{t`Close`}</Button>
      </div>
    </Dialog>
  );
}

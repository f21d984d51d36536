import { useLingui } from "@lingui/react/macro";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { sideOf } from "@/text/adoption";
import { recentCodes } from "@/text/codes";
import { type Command, change, marking, removal } from "@/text/commands";
import type { Span } from "@/text/graphemes";
import { hits, outward } from "@/text/hits";
import { freshId, inOrder, isWholeText } from "@/text/markup";
import { quoteOf } from "@/text/painted";
import { type SurfaceHandle, TextSurface } from "@/text/TextSurface";
import { snap } from "@/text/words";
import { isPhone } from "@/ui/controls";
import styles from "./annotator.module.css";
import { Conflict } from "./Conflict";
import { Details } from "./Details";
import { type Desk, DeskContext, type Id, type PickRequest, type Sheet, type View, ViewContext } from "./desk";
import { Earlier, Reasons } from "./Earlier";
import { Exchange } from "./Exchange";
import { Fragments } from "./Fragments";
import { Grade } from "./Grade";
import { HandIn } from "./HandIn";
import { Header } from "./Header";
import { type Picked, Picker } from "./Picker";
import { Shortcuts } from "./Shortcuts";
import { useKeys } from "./useKeys";
import { useRoom } from "./useRoom";
import { useSteps } from "./useSteps";
import { rowOf, useDrawn, useThird } from "./useThird";
import { WholeText } from "./WholeText";

const BLANK = { subtype: "", comment: "", explanation: "", correction: "", tag: "" };

/**
 * The annotator: an essay's text with its lanes, what is marked, its details, its grade, all of it by mouse or keys.
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
  const [said, announce] = useState("");
  const surface = useRef<SurfaceHandle>(null);
  const root = useRef<HTMLDivElement>(null);
  const last = useRef<Picked | null>(null);
  useRoom(root);
  const ordered = useMemo(() => inOrder(fragments), [fragments]);
  const active = fragments.find((each) => each.id === activeId) ?? null;
  const isOpen = desk.closed === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is looked at, not when its words change
  useEffect(() => {
    if (active && !isWholeText(active) && isPhone()) surface.current?.show(active);
  }, [active?.id]);
  const meant = useMemo(() => snap(essay.text, selected.span, selected.alt), [essay.text, selected]);
  // A key is about what is selected when it is pressed: the browser tells of a selection later than fast fingers type.
  const chosen = () => surface.current?.selected() ?? selected.span;
  const meantNow = () => snap(essay.text, chosen(), selected.alt);

  const toText = useCallback((span?: Span) => surface.current?.focus(span), []);
  const goTo = useCallback(
    (id: Id) => {
      activate(id);
      const found = desk.fragments.find((each) => each.id === id);
      if (found && !isWholeText(found)) surface.current?.show(found);
    },
    [desk.fragments],
  );
  const view: View = useMemo(
    () => ({ active, activate, goTo, pick, announce, surface, toText }),
    [active, goTo, toText],
  );

  const mark = (span: Span, { code, subtype }: Picked) => {
    const fragment = { ...BLANK, ...span, id: freshId(fragments), code: code.code, subtype };
    desk.run(marking(fragments, fragment));
    desk.picked(code.code);
    last.current = { code, subtype };
    activate(fragment.id);
    announce(t`Marked: ${code.code}, ${quoteOf(essay.text, fragment)}`);
    toText(span.end > 0 ? { start: span.end, end: span.end } : undefined);
  };
  const picked = (found: Picked) => {
    if (!request) return;
    pick(null);
    if ("span" in request.for) return mark(request.for.span, found);
    const { id } = request.for;
    const of = fragments.find((each) => each.id === id);
    if (of) desk.run(change(of, { code: found.code.code, subtype: found.subtype }, "code"));
    desk.picked(found.code.code);
    root.current?.querySelector<HTMLElement>("[data-zone=details] button")?.focus();
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
    if (digit) mark(span, { code: digit, subtype: "" });
    else pick({ for: { span }, typed: text });
  };
  const clicked = (at: number) => {
    const found = hits(fragments, at);
    activate(outward(found, active && found.includes(active) ? active : undefined)?.id ?? null);
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
  useKeys(root, {
    desk,
    view,
    adopting,
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

  const drawn = useDrawn(desk, adopting);
  const spanOf = request && "span" in request.for ? request.for.span : null;
  const looked = adopting?.row
    ? (sideOf(adopting.third, adopting.row, "x") ?? sideOf(adopting.third, adopting.row, "y"))
    : null;
  const band = spanOf && !isWholeText(spanOf) ? spanOf : (active ?? looked ?? null);
  const pointed = (key: string) => {
    const found = fragments.find((each) => String(each.id) === key);
    if (found) return goTo(found.id);
    const row = adopting && rowOf(adopting.third, key);
    if (row) adopting.choose(row);
  };
  return (
    <DeskContext value={desk}>
      <ViewContext value={view}>
        <div ref={root} className={styles.annotator}>
          <Header steps={steps} open={setSheet} />
          {desk.save.kind === "conflict" && <Conflict />}
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
                {isOpen && !request && meant && selected.span.start < selected.span.end && (
                  <button
                    type="button"
                    className={styles.floating}
                    style={below(surface.current, meant)}
                    onPointerDown={(event) => event.preventDefault()}
                    onClick={() => pick({ for: { span: meant }, typed: "" })}
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
              <Fragments ordered={ordered} remove={remove} />
              <Details />
            </div>
            <div className={`${styles.side} ${styles.verdict}`} data-zone="grade">
              <Grade />
              <WholeText add={() => pick({ for: { span: { start: 0, end: 0 } }, typed: "" })} />
            </div>
          </div>
          <p className="sr-only" role="status">
            {said}
          </p>
          {sheet === "shortcuts" && <Shortcuts third={desk.third !== null} close={() => setSheet(null)} />}
          {sheet === "exchange" && <Exchange close={() => setSheet(null)} />}
          {sheet === "hand-in" && isOpen && <HandIn close={() => setSheet(null)} />}
        </div>
      </ViewContext>
    </DeskContext>
  );
}

/** Under a span's last line, inside the surface. */
function below(surface: SurfaceHandle | null, span: Span | null): { left: number; top: number } {
  const box = span && surface?.boxOf(span);
  return box ? { left: Math.max(0, Math.min(box.left, 360)), top: box.bottom + 4 } : { left: 0, top: 0 };
}

import { useLingui } from "@lingui/react/macro";
import { useCallback, useMemo, useRef, useState } from "react";
import { type Command, removal } from "@/text/commands";
import { editsAt, editsInOrder, newEdit, type SentTokens, textOfTokens } from "@/text/edits";
import type { Span } from "@/text/graphemes";
import { quoteOf } from "@/text/painted";
import { useKeyHelp } from "@/ui/keys";
import styles from "./annotator.module.css";
import { Conflict } from "./Conflict";
import { type Desk, DeskContext, type Id, type Sheet, type View, ViewContext } from "./desk";
import { EditDetails } from "./EditDetails";
import { EditList } from "./EditList";
import { HandIn } from "./HandIn";
import { Header } from "./Header";
import { TokenSurface } from "./TokenSurface";
import { useControlKeys } from "./useControlKeys";
import { useRoom } from "./useRoom";
import { useSteps } from "./useSteps";

/**
 * Errors of a text, each with its correction, its type and what its context is needed for; by mouse or by keys.
 *
 * Clause: TS G-7, platform §8 annotator
 */
export function Edits({ desk, content }: { desk: Desk; content: SentTokens }) {
  const { t } = useLingui();
  const { fragments } = desk;
  const of = useMemo(() => textOfTokens(content), [content]);
  const ordered = useMemo(() => editsInOrder(fragments), [fragments]);
  const [activeId, activate] = useState<Id | null>(null);
  const [chosen, choose] = useState<Span>({ start: 0, end: 1 });
  const [sheet, open] = useState<Sheet>(null);
  const [said, announce] = useState("");
  const root = useRef<HTMLDivElement>(null);
  useRoom(root);
  const active = fragments.find((each) => each.id === activeId) ?? null;
  const isOpen = desk.closed === null;
  const toText = useCallback(
    () => root.current?.querySelector<HTMLElement>("[data-zone=text] [role=listbox]")?.focus(),
    [],
  );
  const view: View = useMemo(
    () => ({ active, activate, goTo: activate, pick: nothing, announce, surface: NO_SURFACE, toText }),
    [active, toText],
  );
  const steps = useSteps(desk, view);
  const toDetails = () => {
    // The field is there once what was chosen is drawn.
    requestAnimationFrame(() => root.current?.querySelector<HTMLInputElement>("[data-zone=details] input")?.select());
  };
  const add = (tokens: Span) => {
    const command = newEdit(fragments, of, tokens, "");
    desk.run(command);
    activate(command.about);
    toDetails();
  };
  /** What stands there is gone on with; only where nothing does is a new error marked. */
  const edit = (tokens: Span) => {
    const [known] = editsAt(fragments, of, tokens);
    if (known) {
      activate(known.id);
      announce(t`This is marked already: ${quoteOf(of.text, known)}`);
      toDetails();
    } else if (isOpen) add(tokens);
  };
  const remove = (id: Id) => {
    const command: Command = removal(fragments, id);
    desk.run(command);
    activate(null);
    announce(t`Removed`);
    toText();
  };
  const along = (by: 1 | -1) => {
    if (ordered.length === 0) return announce(t`Nothing is marked yet`);
    const at = ordered.findIndex((each) => each.id === activeId);
    const next = ordered[((at < 0 && by < 0 ? 0 : at) + by + ordered.length) % ordered.length];
    if (next) activate(next.id);
  };
  useControlKeys(
    new Map([
      ["KeyZ", steps.undo],
      ["Shift+KeyZ", steps.redo],
      ["KeyY", steps.redo],
      ["KeyS", () => void desk.saveNow()],
      ["Shift+Enter", () => open("hand-in")],
    ]),
    isOpen && sheet === null,
  );
  useKeyHelp([
    { keys: "← → ↑ ↓", does: t`in the text: another word, another sentence; with Shift more words` },
    { keys: "Enter", does: t`mark the chosen words as an error, or go on with the one that is there` },
    { keys: "i, a", does: t`something is missing before, after the chosen words` },
    { keys: "Alt+↓, Alt+↑", does: t`next, previous error` },
    { keys: "Delete", does: t`remove the error at the chosen words` },
    { keys: "Esc", does: t`from the details back to the text` },
    { keys: "Ctrl+Z, Ctrl+Shift+Z", does: t`undo, redo` },
    { keys: "Ctrl+S", does: t`save now` },
    { keys: "Ctrl+Shift+Enter", does: t`hand in` },
  ]);
  return (
    <DeskContext value={desk}>
      <ViewContext value={view}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys that hold in every part of the tool */}
        <div
          ref={root}
          className={styles.annotator}
          onKeyDown={(event) => {
            if (!event.altKey || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
            event.preventDefault();
            along(event.key === "ArrowDown" ? 1 : -1);
          }}
        >
          <Header steps={steps} open={open} />
          {desk.save.kind === "conflict" && <Conflict />}
          <div className={styles.twoColumns} data-part="columns">
            <div data-zone="text" className={styles.essay}>
              <TokenSurface
                of={of}
                lang={desk.assignment.language === "eng" ? "en" : undefined}
                isOpen={isOpen}
                chosen={chosen}
                choose={choose}
                edit={edit}
                remove={(tokens) => {
                  const [known] = editsAt(fragments, of, tokens);
                  if (known) remove(known.id);
                }}
              />
            </div>
            <div className={styles.side}>
              <EditDetails of={of} remove={remove} back={toText} />
              <EditList ordered={ordered} />
            </div>
          </div>
          <p className="sr-only" role="status">
            {said}
          </p>
          {sheet === "hand-in" && isOpen && <HandIn close={() => open(null)} />}
        </div>
      </ViewContext>
    </DeskContext>
  );
}

const NO_SURFACE = { current: null };

function nothing(): void {}

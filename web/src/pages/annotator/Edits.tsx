import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type ReactNode, useCallback, useId, useMemo, useRef, useState } from "react";
import {
  type Command,
  editsAt,
  editsInOrder,
  newEdit,
  removal,
  type SentTokens,
  type TokenText,
  textOfTokens,
  tokensOf,
} from "@/text/commands";
import { quoteOf } from "@/text/drawn";
import type { Fragment } from "@/text/markup";
import type { Span } from "@/text/spans";
import { languageTag } from "@/ui/contest";
import { Button } from "@/ui/controls";
import styles from "./annotator.module.css";
import {
  type Desk,
  type Id,
  type Sheet,
  useDesk,
  useRoom,
  useSteps,
  useView,
  useWorkKeys,
  type View,
  WITHOUT_SURFACE,
} from "./desk";
import { EditDetails, EditList } from "./EditDetails";
import { Workplace } from "./HandIn";

/**
 * Errors of a text, each with its correction, its type and the context it needs; usable by mouse and by keys.
 *
 * Clause: TS G-7, platform §8 annotator
 */
export function Edits({ desk, content }: { desk: Desk; content: SentTokens }) {
  const { t } = useLingui();
  const { fragments } = desk;
  const text = useMemo(() => textOfTokens(content), [content]);
  const ordered = useMemo(() => editsInOrder(fragments), [fragments]);
  const [activeId, activate] = useState<Id | null>(null);
  const [chosen, choose] = useState<Span>({ start: 0, end: 1 });
  const [sheet, open] = useState<Sheet>(null);
  const [status, announce] = useState("");
  const root = useRef<HTMLDivElement>(null);
  useRoom(root);
  const active = fragments.find((fragment) => fragment.id === activeId) ?? null;
  const isOpen = desk.closed === null;
  const toText = useCallback(
    () => root.current?.querySelector<HTMLElement>("[data-zone=text] [role=listbox]")?.focus(),
    [],
  );
  const view: View = useMemo(
    () => ({ ...WITHOUT_SURFACE, active, activate, goTo: activate, announce, toText }),
    [active, toText],
  );
  const steps = useSteps(desk, view);
  const toDetails = () => {
    // The field exists only after the chosen error is drawn.
    requestAnimationFrame(() => root.current?.querySelector<HTMLInputElement>("[data-zone=details] input")?.select());
  };
  const add = (tokens: Span) => {
    const command = newEdit(fragments, text, tokens, "");
    desk.run(command);
    activate(command.about);
    toDetails();
  };
  /** Open the error at these tokens; mark a new one only if there is none. */
  const edit = (tokens: Span) => {
    const [types] = editsAt(fragments, text, tokens);
    if (types) {
      activate(types.id);
      announce(t`This place is annotated already: ${quoteOf(text.text, types)}`);
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
    const at = ordered.findIndex((fragment) => fragment.id === activeId);
    const next = ordered[((at < 0 && by < 0 ? 0 : at) + by + ordered.length) % ordered.length];
    if (next) activate(next.id);
  };
  useWorkKeys(steps, { saveNow: desk.saveNow, handIn: () => open("hand-in") }, isOpen && sheet === null, [
    { keys: "← → ↑ ↓", does: t`in the text: another word, another sentence; with Shift more words` },
    { keys: "Enter", does: t`mark the chosen words as an error, or go on with the one that is there` },
    { keys: "i, a", does: t`something is missing before, after the chosen words` },
    { keys: "Alt+↓, Alt+↑", does: t`next, previous error` },
    { keys: "Delete", does: t`remove the error at the chosen words` },
    { keys: "Esc", does: t`from the details back to the text` },
  ]);
  return (
    <Workplace
      {...{ desk, view, steps, sheet, open, status }}
      ref={root}
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
        event.preventDefault();
        along(event.key === "ArrowDown" ? 1 : -1);
      }}
    >
      <div className={styles.twoColumns} data-part="columns">
        <div data-zone="text" className={styles.essay}>
          <TokenSurface
            text={text}
            lang={languageTag(desk.assignment.language)}
            isOpen={isOpen}
            chosen={chosen}
            choose={choose}
            edit={edit}
            remove={(tokens) => {
              const [types] = editsAt(fragments, text, tokens);
              if (types) remove(types.id);
            }}
          />
        </div>
        <div className={styles.side}>
          <EditDetails text={text} remove={remove} back={toText} />
          <EditList ordered={ordered} />
        </div>
      </div>
    </Workplace>
  );
}

interface SurfaceProps {
  text: TokenText;
  lang: string | undefined;
  isOpen: boolean;
  /** Selected tokens, at least one; the one that the keys move is at an end. */
  chosen: Span;
  choose: (tokens: Span) => void;
  edit: (tokens: Span) => void;
  remove: (tokens: Span) => void;
}

/** Sentences, word by word: arrow keys select words, errors are shown in place with their corrections. */
function TokenSurface({ text, lang, isOpen, chosen, choose, edit, remove }: SurfaceProps) {
  const { t } = useLingui();
  const id = useId();
  /** Token at which the selection began; Shift extends it from there. */
  const anchor = useRef(0);
  const pressed = useRef(false);
  const moving = chosen.start < anchor.current ? chosen.start : chosen.end - 1;
  const go = (to: number, extend: boolean) => {
    const at = Math.max(0, Math.min(text.spans.length - 1, to));
    if (!extend) anchor.current = at;
    choose({ start: Math.min(anchor.current, at), end: Math.max(anchor.current, at) + 1 });
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  };
  const sentenceAt = text.sentences.findIndex(({ end }) => moving < end);
  const sentence = text.sentences[sentenceAt] ?? { start: 0, end: 1 };
  const before = { start: chosen.start, end: chosen.start };
  const after = { start: chosen.end, end: chosen.end };
  const keyed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { shiftKey: extend } = event;
    const works = new Map<string, () => void>([
      ["ArrowRight", () => go(moving + 1, extend)],
      ["ArrowLeft", () => go(moving - 1, extend)],
      ["ArrowDown", () => go(text.sentences[sentenceAt + 1]?.start ?? text.spans.length - 1, extend)],
      [
        "ArrowUp",
        () => go(moving > sentence.start ? sentence.start : (text.sentences[sentenceAt - 1]?.start ?? 0), extend),
      ],
      ["Home", () => go(sentence.start, extend)],
      ["End", () => go(sentence.end - 1, extend)],
      ["Enter", () => edit(chosen)],
      ["Space", () => edit(chosen)],
      ...(isOpen
        ? ([
            ["KeyI", () => edit(before)],
            ["KeyA", () => edit(after)],
            ["Delete", () => remove(chosen)],
          ] as const)
        : []),
    ]);
    const work = works.get(event.code === "NumpadEnter" ? "Enter" : event.code);
    if (!work) return;
    event.preventDefault();
    event.stopPropagation();
    work();
  };
  return (
    <>
      <div
        role="listbox"
        aria-label={t`The text. Choose words with the arrows, mark them with Enter.`}
        aria-multiselectable="true"
        aria-activedescendant={`${id}-${moving}`}
        tabIndex={0}
        className={styles.tokens}
        lang={lang}
        onKeyDown={keyed}
        onPointerUp={() => {
          pressed.current = false;
        }}
        onPointerLeave={() => {
          pressed.current = false;
        }}
      >
        {text.sentences.map((sentence, place) => (
          // biome-ignore lint/a11y/useSemanticElements: a sentence among options
          <div key={sentence.start} role="group" aria-label={t`Sentence ${place + 1}`} className={styles.tokenLine}>
            <Words
              text={text}
              from={sentence}
              chosen={chosen}
              moving={moving}
              id={id}
              begin={(at, extend) => {
                pressed.current = true;
                go(at, extend);
              }}
              over={(at) => {
                if (pressed.current) go(at, true);
              }}
              edit={(at) => edit({ start: at, end: at + 1 })}
            />
          </div>
        ))}
      </div>
      {isOpen && (
        <div className={styles.row}>
          <Button onPress={() => edit(chosen)}>
            <Trans>Mark “{wordsOf(text, chosen)}”</Trans> <kbd>Enter</kbd>
          </Button>
          <Button onPress={() => edit(before)}>
            <Trans>Missing before it</Trans> <kbd>I</kbd>
          </Button>
          <Button onPress={() => edit(after)}>
            <Trans>Missing after it</Trans> <kbd>A</kbd>
          </Button>
        </div>
      )}
    </>
  );
}

const LONGEST = 30;

function wordsOf({ text, spans }: TokenText, { start, end }: Span): string {
  const words = Array.from(text.slice(spans[start]?.start, spans[end - 1]?.end).replace("\n", " "));
  return words.length > LONGEST ? `${words.slice(0, LONGEST).join("")}…` : words.join("");
}

interface WordsProps {
  text: TokenText;
  from: Span;
  chosen: Span;
  moving: number;
  id: string;
  begin: (at: number, extend: boolean) => void;
  over: (at: number) => void;
  edit: (at: number) => void;
}

/** One sentence's words; a correction stands behind the words it replaces, an insertion before the word it precedes. */
function Words({ text, from, chosen, moving, id, begin, over, edit }: WordsProps) {
  const { t } = useLingui();
  const { fragments } = useDesk();
  const { active } = useView();
  const placed = fragments.map((fragment) => [fragment, tokensOf(text, fragment)] as const);
  const drawn: ReactNode[] = [];
  const insertedAt = (at: number) =>
    placed
      .filter(([, own]) => own.start === own.end && own.start === at)
      .map(([fragment]) => (
        <Correction key={`i${fragment.id}`} fragment={fragment} isActive={fragment.id === active?.id} />
      ));
  for (let at = from.start; at < from.end; at += 1) {
    const place = placed.find(([, own]) => own.start <= at && at < own.end);
    const word = text.text.slice(text.spans[at]?.start, text.spans[at]?.end);
    const isActive = place !== undefined && place[0].id === active?.id;
    drawn.push(
      ...insertedAt(at),
      // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the word that is meant
      <span
        key={at}
        id={`${id}-${at}`}
        role="option"
        aria-selected={chosen.start <= at && at < chosen.end}
        aria-label={place ? t`${word}, marked: ${place[0].correction || "∅"}` : undefined}
        data-marked={place ? "" : undefined}
        data-active={isActive ? "" : undefined}
        data-here={at === moving ? "" : undefined}
        className={styles.token}
        onPointerDown={(event) => begin(at, event.shiftKey)}
        onPointerEnter={() => over(at)}
        onDoubleClick={() => edit(at)}
      >
        {word}
      </span>,
      ...placed
        .filter(([, own]) => own.start < own.end && own.end === at + 1)
        .map(([fragment]) => (
          <Correction key={`c${fragment.id}`} fragment={fragment} isActive={fragment.id === active?.id} />
        )),
      " ",
    );
  }
  if (from.end === text.spans.length) drawn.push(...insertedAt(from.end));
  return drawn;
}

function Correction({ fragment, isActive }: { fragment: Fragment; isActive: boolean }) {
  return (
    <ins aria-hidden="true" className={styles.correction} data-active={isActive ? "" : undefined}>
      {fragment.correction === "" ? "∅" : fragment.correction}
      {fragment.comment !== "" && " ⇄"}
    </ins>
  );
}

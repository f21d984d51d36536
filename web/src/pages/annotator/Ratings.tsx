import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Fragment } from "@/text/markup";
import { isRated, rating, type SentCards, toggled } from "@/text/ratings";
import { Button } from "@/ui/controls";
import { useKeyHelp, useLetters } from "@/ui/keys";
import styles from "./annotator.module.css";
import { Conflict } from "./Conflict";
import { type Desk, DeskContext, type Id, type Sheet, type View, ViewContext } from "./desk";
import { HandIn } from "./HandIn";
import { Header } from "./Header";
import { Explained, Questions } from "./RatingCard";
import { useControlKeys } from "./useControlKeys";
import { useSteps } from "./useSteps";

/** Explanations of a program's answer, one card after the other, each with its questions; by mouse or by keys. */
export function Ratings({ desk }: { desk: Desk }) {
  const { t } = useLingui();
  const { fragments: cards, run } = desk;
  const { questions } = desk.essay as SentCards;
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      cards.findIndex((each) => !isRated(each)),
    ),
  );
  const [sheet, open] = useState<Sheet>(null);
  const [said, announce] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  const card = cards[Math.min(at, cards.length - 1)];
  const isOpen = desk.closed === null;
  const goTo = useCallback(
    (id: Id) => {
      const place = cards.findIndex((each) => each.id === id);
      if (place < 0) return;
      setAt(place);
      heading.current?.focus();
    },
    [cards],
  );
  const view: View = useMemo(
    () => ({
      active: card ?? null,
      activate: nothing,
      goTo,
      pick: nothing,
      announce,
      surface: NO_SURFACE,
      toText: nothing,
    }),
    [card, goTo],
  );
  const steps = useSteps(desk, view);
  const move = (by: 1 | -1) => {
    const next = cards[at + by];
    if (next) goTo(next.id);
    else if (by > 0) announce(t`That was the last card`);
  };
  const answer = (answers: readonly boolean[]) => {
    if (card && isOpen) run(rating(card, answers));
  };
  const all = (yes: boolean) => answer(Array.from({ length: questions }, () => yes));
  useLetters((event) => {
    if (!card || sheet !== null) return false;
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    const question = digit === undefined ? Number.NaN : Number(digit) - 1;
    if (digit === "0") all(false);
    else if (event.code === "KeyA") all(true);
    else if (question < questions) answer(toggled(card, question, questions));
    else if (event.code === "Backspace") move(-1);
    else if (event.code === "Enter" && !isPressable(event.target)) move(1);
    else return false;
    return true;
  });
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
    { keys: `1 … ${questions}`, does: t`yes or no to a question` },
    { keys: "0, a", does: t`no to all, yes to all` },
    { keys: "Enter, Backspace", does: t`next card, previous card` },
    { keys: "Ctrl+Z, Ctrl+Shift+Z", does: t`undo, redo` },
    { keys: "Ctrl+S", does: t`save now` },
    { keys: "Ctrl+Shift+Enter", does: t`hand in` },
  ]);
  return (
    <DeskContext value={desk}>
      <ViewContext value={view}>
        <div className={styles.annotator}>
          <Header steps={steps} open={open} />
          {desk.save.kind === "conflict" && <Conflict />}
          <Overview cards={cards} at={at} goTo={goTo} />
          {card && (
            <section className={styles.card} aria-labelledby="card">
              <h2 id="card" ref={heading} tabIndex={-1}>
                <Trans>
                  Explanation {at + 1} of {cards.length}
                </Trans>
              </h2>
              <Explained card={card} />
              <Questions card={card} questions={questions} isOpen={isOpen} answer={answer} all={all} />
              <div className={styles.row}>
                <Button isDisabled={at === 0} onPress={() => move(-1)}>
                  <Trans>Previous</Trans>
                </Button>
                <Button primary isDisabled={at === cards.length - 1} onPress={() => move(1)}>
                  <Trans>Next</Trans>
                </Button>
              </div>
            </section>
          )}
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

/** What Enter presses by itself. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, a, summary") !== null;
}

function Overview({ cards, at, goTo }: { cards: readonly Fragment[]; at: number; goTo: (id: Id) => void }) {
  const { t } = useLingui();
  const rated = cards.filter(isRated).length;
  return (
    <nav aria-label={t`Cards`} className={styles.cards}>
      <p>
        <Plural value={rated} one="# rated" other="# rated" /> / {cards.length}
      </p>
      <ol>
        {cards.map((each, place) => (
          <li key={each.id}>
            <button
              type="button"
              className={styles.border}
              aria-current={place === at ? "step" : undefined}
              aria-label={isRated(each) ? t`${place + 1} ✓ rated` : t`${place + 1}, not rated yet`}
              onClick={() => goTo(each.id)}
            >
              {place + 1}
              {isRated(each) && " ✓"}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

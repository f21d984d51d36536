import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useCallback, useMemo, useRef, useState } from "react";
import { type Fragment, isWholeText } from "@/text/markup";
import { answersOf, isRated, rating, type SentCards, toggled, useQuestions } from "@/text/ratings";
import { sentencesAround } from "@/text/spans";
import { inLanguage, languageTag, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { useLetters } from "@/ui/keys";
import styles from "./annotator.module.css";
import { type Desk, type Id, type Sheet, useDesk, useSteps, useWorkKeys, type View, WITHOUT_SURFACE } from "./desk";
import { Workplace } from "./HandIn";

/** Explanations of a program's answer, one card after the other, each with its questions; by mouse or by keys. */
export function Ratings({ desk }: { desk: Desk }) {
  const { t } = useLingui();
  const { fragments: cards, run } = desk;
  const { questions } = desk.essay as SentCards;
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      cards.findIndex((card) => !isRated(card)),
    ),
  );
  const [sheet, open] = useState<Sheet>(null);
  const [status, announce] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  const card = cards[Math.min(at, cards.length - 1)];
  const isOpen = desk.closed === null;
  const goTo = useCallback(
    (id: Id) => {
      const place = cards.findIndex((card) => card.id === id);
      if (place < 0) return;
      setAt(place);
      heading.current?.focus();
    },
    [cards],
  );
  const view: View = useMemo(() => ({ ...WITHOUT_SURFACE, active: card ?? null, goTo, announce }), [card, goTo]);
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
  useWorkKeys(steps, { saveNow: desk.saveNow, handIn: () => open("hand-in") }, isOpen && sheet === null, [
    { keys: `1 … ${questions}`, does: t`yes or no to a question` },
    { keys: "0, a", does: t`no to all, yes to all` },
    { keys: "Enter, Backspace", does: t`next card, previous card` },
  ]);
  return (
    <Workplace {...{ desk, view, steps, sheet, open, status }}>
      <Overview cards={cards} at={at} goTo={goTo} />
      {card && (
        <section className={styles.card} aria-labelledby="card">
          <h2 id="card" ref={heading} tabIndex={-1}>
            {t`Explanation ${at + 1} of ${cards.length}`}
          </h2>
          <Explained card={card} />
          <Questions card={card} questions={questions} isOpen={isOpen} answer={answer} all={all} />
          <div className={styles.row}>
            <Button isDisabled={at === 0} onPress={() => move(-1)}>
              {t`Previous`}
            </Button>
            <Button primary isDisabled={at === cards.length - 1} onPress={() => move(1)}>
              {t`Next`}
            </Button>
          </div>
        </section>
      )}
    </Workplace>
  );
}

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
        {cards.map((card, place) => (
          <li key={card.id}>
            <button
              type="button"
              className={styles.border}
              aria-current={place === at ? "step" : undefined}
              aria-label={isRated(card) ? t`${place + 1} ✓ rated` : t`${place + 1}, not rated yet`}
              onClick={() => goTo(card.id)}
            >
              {place + 1}
              {isRated(card) && " ✓"}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Explained({ card }: { card: Fragment }) {
  const { t } = useLingui();
  const { assignment, essay, codeOf } = useDesk();
  const language = useLanguage();
  const code = codeOf(card.code);
  const around = sentencesAround(essay.text, card);
  return (
    <>
      <p>
        <b>
          {card.code}
          {card.subtype && `/${card.subtype}`}
        </b>{" "}
        {code && <span className={styles.help}>{inLanguage(code.description, language)}</span>}
      </p>
      <blockquote className={styles.sentence} lang={languageTag(assignment.language)}>
        {isWholeText(card) ? (
          t`the whole text`
        ) : (
          <>
            {essay.text.slice(around.start, card.start)}
            <mark>{essay.text.slice(card.start, card.end)}</mark>
            {essay.text.slice(card.end, around.end)}
          </>
        )}
      </blockquote>
      <p className={styles.explanation}>{card.explanation}</p>
      <details className={styles.task}>
        <summary>{t`The whole essay`}</summary>
        <p className={styles.whole}>{essay.text}</p>
      </details>
    </>
  );
}

interface QuestionsProps {
  card: Fragment;
  questions: number;
  isOpen: boolean;
  answer: (answers: readonly boolean[]) => void;
  all: (yes: boolean) => void;
}

/** The contest's questions about one explanation, each with its key. */
function Questions({ card, questions, isOpen, answer, all }: QuestionsProps) {
  const { t } = useLingui();
  const answers = answersOf(card);
  const texts = useQuestions();
  return (
    <fieldset className={styles.questions} disabled={!isOpen}>
      <legend>{isRated(card) ? t`Rated: a tick is a yes` : t`Not rated yet: a tick is a yes`}</legend>
      {Array.from({ length: questions }, (_, place) => (
        <label key={texts[place] ?? place}>
          <input
            type="checkbox"
            checked={answers[place] ?? false}
            onChange={() => answer(toggled(card, place, questions))}
          />{" "}
          <kbd>{place + 1}</kbd> {texts[place]}
        </label>
      ))}
      <div className={styles.row}>
        <Button isDisabled={!isOpen} onPress={() => all(true)}>
          <Trans>All yes</Trans> <kbd>A</kbd>
        </Button>
        <Button isDisabled={!isOpen} onPress={() => all(false)}>
          <Trans>All no</Trans> <kbd>0</kbd>
        </Button>
      </div>
    </fieldset>
  );
}

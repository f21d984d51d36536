import { Trans } from "@lingui/react/macro";
import { type Fragment, isWholeText } from "@/text/markup";
import { answersOf, isRated, toggled } from "@/text/ratings";
import { sentencesAround } from "@/text/sentences";
import { useQuestions } from "@/text/useQuestions";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import styles from "./annotator.module.css";
import { useDesk } from "./desk";

/** What is explained, in its sentence, and how. */
export function Explained({ card }: { card: Fragment }) {
  const { essay, codeOf } = useDesk();
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
      <blockquote className={styles.sentence} lang={essay.meta.subject.startsWith("eng") ? "en" : "ru"}>
        {isWholeText(card) ? (
          <Trans>the whole text</Trans>
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
        <summary>
          <Trans>The whole essay</Trans>
        </summary>
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
export function Questions({ card, questions, isOpen, answer, all }: QuestionsProps) {
  const known = answersOf(card);
  const asked = useQuestions();
  return (
    <fieldset className={styles.questions} disabled={!isOpen}>
      <legend>
        {isRated(card) ? <Trans>Rated: a tick is a yes</Trans> : <Trans>Not rated yet: a tick is a yes</Trans>}
      </legend>
      {Array.from({ length: questions }, (_, place) => (
        <label key={asked[place] ?? place}>
          <input
            type="checkbox"
            checked={known[place] ?? false}
            onChange={() => answer(toggled(card, place, questions))}
          />{" "}
          <kbd>{place + 1}</kbd> {asked[place]}
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

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useMemo, useRef, useState } from "react";
import { api, type Schemas } from "@/api/client";
import type { Command } from "@/text/commands";
import { answering, commenting, toReview } from "@/text/review";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { useKeyHelp, useLetters } from "@/ui/keys";
import { Moment, useNow } from "@/ui/moments";
import { Problem } from "@/ui/Page";
import styles from "./annotator.module.css";
import { Bar } from "./Header";
import { PartOfWork } from "./PartOfWork";
import { RoundConflict } from "./RoundConflict";
import { draftOfRound, roundServer } from "./roundServer";
import { useControlKeys } from "./useControlKeys";
import { closedBy, useJournal } from "./useJournal";
import { useLock } from "./useLock";
import { useSteps } from "./useSteps";

type RoundBody = Schemas["RoundBody"];

const LONGEST = 4000;

interface RoundProps {
  id: string;
  round: RoundBody;
  online: boolean;
  /** What the platform shows from now on. */
  shown: (round: RoundBody) => void;
  refresh: () => void;
  failed: (error: unknown) => void;
}

/** A program's work, turn by turn, and what is said of it: kept here at once, saved a moment later. */
export function Round({ id, round, online, shown, refresh, failed }: RoundProps) {
  const { t } = useLingui();
  const now = useNow();
  const lock = useLock(`hurdle.${id}`);
  const isRunning = Date.parse(round.until) >= now;
  const isOpen = isRunning && lock.held;
  const { journal, ...work } = useJournal<RoundBody>({
    id,
    server: () => roundServer(round),
    draft: () => draftOfRound(round),
    online,
    isOpen,
    judged: shown,
    failed,
  });
  const closed = closedBy(isRunning, lock.held, work.save);
  const [said, announce] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [turning, setTurning] = useState(false);
  const comment = useRef<HTMLTextAreaElement>(null);
  const steps = useSteps(work, { goTo: nothing, announce });
  const review = useMemo(() => toReview(work.fragments), [work.fragments]);
  const left = round.total - round.parts.length;
  const run = (command: Command | null) => {
    if (command && closed === null) work.run(command);
  };
  const answer = (place: number, yes: boolean) => {
    const question = round.questions[place];
    if (question) run(answering(work.fragments, question.key, yes));
  };
  const showNext = async () => {
    if (left <= 0) return announce(t`That was the end of the program's work`);
    if (turning || closed !== null) return;
    setTurning(true);
    try {
      // What was said before a turn is saved before it: the turn makes a revision of its own.
      await work.saveNow();
      const { data } = await api.POST("/v1/round/turns");
      setError(null);
      if (data) {
        await journal.current?.moved(data.revision);
        shown(data);
      }
    } catch (failure) {
      setError(failure);
    }
    setTurning(false);
  };
  const newest = useRef<HTMLHeadingElement>(null);
  const seen = useRef(round.parts.length);
  useEffect(() => {
    if (round.parts.length > seen.current) newest.current?.focus();
    seen.current = round.parts.length;
  }, [round.parts.length]);
  useLetters((event) => {
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    if (digit !== undefined) answer(Number(digit) - 1, !event.shiftKey);
    else if (event.code === "KeyN") void showNext();
    else if (event.code === "KeyC") comment.current?.focus();
    else return false;
    return true;
  });
  useControlKeys(
    new Map([
      ["KeyZ", steps.undo],
      ["Shift+KeyZ", steps.redo],
      ["KeyY", steps.redo],
      ["KeyS", () => void work.saveNow()],
    ]),
    closed === null,
  );
  useKeyHelp([
    { keys: "n", does: t`show the next turn` },
    { keys: `1 … ${round.questions.length}`, does: t`yes to a question; with Shift no` },
    { keys: "c", does: t`to the comment` },
    { keys: "Ctrl+Z, Ctrl+Shift+Z", does: t`undo, redo` },
    { keys: "Ctrl+S", does: t`save now` },
  ]);
  const closesAt = isRunning ? round.until : null;
  const of = { ...work, closed, closesAt, takeOver: lock.takeOver, refresh };
  return (
    <div className={styles.annotator}>
      <Bar of={of} label={t`The round`} steps={steps} />
      {work.save.kind === "conflict" && (
        <RoundConflict
          questions={round.questions}
          own={work.fragments}
          theirs={work.save.theirs}
          settle={work.settle}
        />
      )}
      <p role="status" className={styles.todo}>
        <ToDo round={round} review={review} isRunning={isRunning} left={left} />
      </p>
      <div className={styles.twoColumns} data-part="columns">
        <section aria-labelledby="work" className={styles.essay}>
          <h2 id="work">
            <Trans>What the program was told and did</Trans>
          </h2>
          <ol className={styles.turns}>
            {round.parts.map((part, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added, behind the others
              <li key={place}>
                <PartOfWork part={part} heading={place === round.parts.length - 1 ? newest : null} />
              </li>
            ))}
          </ol>
          {error !== null && <Problem error={error} retry={() => void showNext()} />}
          {closed === null && left > 0 && (
            <Button primary isDisabled={turning} onPress={() => void showNext()}>
              <Trans>Show the next turn</Trans> <kbd>N</kbd>
            </Button>
          )}
          {left <= 0 && (
            <p className={styles.help}>
              <Trans>That is all of the program's work.</Trans>
            </p>
          )}
        </section>
        <section aria-labelledby="review" className={styles.side}>
          <h2 id="review">
            <Trans>What you say of it</Trans>
          </h2>
          {round.questions.map((question, place) => (
            <Question
              key={question.key}
              question={question}
              number={place + 1}
              value={review.answers[question.key]}
              disabled={closed !== null}
              answer={(yes) => answer(place, yes)}
            />
          ))}
          <div className={styles.field}>
            <label htmlFor="comment">
              <Trans>Comment (may be empty)</Trans> <kbd>C</kbd>
            </label>
            <textarea
              id="comment"
              ref={comment}
              rows={6}
              maxLength={LONGEST}
              value={review.comment}
              readOnly={closed !== null}
              onChange={({ target }) => run(commenting(work.fragments, target.value))}
            />
          </div>
        </section>
      </div>
      <p className="sr-only" role="status">
        {said}
      </p>
    </div>
  );
}

function nothing(): void {}

interface ToDoProps {
  round: RoundBody;
  review: ReturnType<typeof toReview>;
  isRunning: boolean;
  left: number;
}

/** What is to be done next. */
function ToDo({ round, review, isRunning, left }: ToDoProps) {
  const open = round.questions.length - Object.keys(review.answers).length;
  const { person, until } = round;
  if (!isRunning) {
    return (
      <Trans>
        The round is over since <Moment at={until} />: what was saved until then counts. The next one will stand here by
        itself once the organizers open it.
      </Trans>
    );
  }
  if (left > 0) {
    return (
      <Trans>
        You are {person}. Read what is shown, then ask for the next turn:{" "}
        <Plural value={left} one="# more" other="# more" />. You may answer at any time, and change it.
      </Trans>
    );
  }
  if (open > 0) {
    return (
      <Trans>
        You are {person}. You have seen everything;{" "}
        <Plural value={open} one="# question is left to answer." other="# questions are left to answer." />
      </Trans>
    );
  }
  return (
    <Trans>
      You are {person}. Everything is answered. Nothing is to be handed in: what is saved when the time is out counts,
      and until then you may change it.
    </Trans>
  );
}

interface QuestionProps {
  question: RoundBody["questions"][number];
  number: number;
  value: boolean | undefined;
  disabled: boolean;
  answer: (yes: boolean) => void;
}

function Question({ question, number, value, disabled, answer }: QuestionProps) {
  const language = useLanguage();
  return (
    <fieldset className={styles.asked} disabled={disabled}>
      <legend>{inLanguage(question.text, language)}</legend>
      {[true, false].map((yes) => (
        <label key={String(yes)}>
          <input type="radio" name={question.key} checked={value === yes} onChange={() => answer(yes)} />{" "}
          {yes ? <Trans>yes</Trans> : <Trans>no</Trans>} <kbd>{yes ? number : `Shift+${number}`}</kbd>
        </label>
      ))}
    </fieldset>
  );
}

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type Ref, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { EVERY, get, post, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useSession } from "@/auth/hooks";
import type { Command } from "@/text/commands";
import { type Fragment, sectionsOf } from "@/text/markup";
import { answering, commenting, toReview } from "@/text/ratings";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { useAction } from "@/ui/forms";
import { useLetters } from "@/ui/keys";
import { Forbidden, isForbidden, Moment, Page, PageSection, Problem, Skeleton, useNow } from "@/ui/Page";
import styles from "./annotator.module.css";
import { useSteps, useWorkKeys } from "./desk";
import { Bar, Disagreement } from "./Header";
import { closedBy, keepPage, Unkept, useJournal, useLock } from "./journals";
import { draftOfRound, isAway, recallRound, rememberRound, roundServer } from "./server";

type RoundBody = Schemas["RoundBody"];
const ASKED = get("/v1/round", {}, EVERY.idle);

/**
 * A clinician's present round; before it, the time of the next one.
 *
 * Clause: TS D-10, D 9.10.8.3, D 9.10.8.7
 */
export function RoundPage() {
  const { t } = useLingui();
  useEffect(keepPage, []);
  const session = useSession();
  const client = useQueryClient();
  const query = useQuery({ ...ASKED, enabled: session.state !== "coming" });
  const noNetwork = session.state === "coming" && session.away === true;
  const stored = useKeptRound(noNetwork || isAway(query.error));
  const [failed, setFailed] = useState<unknown>(null);
  const show = useCallback((round: RoundBody) => client.setQueryData(ASKED.queryKey, round), [client]);
  const { data } = query;
  useEffect(() => {
    if (data) rememberRound(data).catch(setFailed);
  }, [data]);
  const nothing = query.error instanceof ApiError && query.error.code === "no_round";
  const round = nothing ? undefined : (data ?? stored);
  if (isForbidden(query.error) && !round) return <Forbidden error={query.error} />;
  if (round) {
    const { round: number, rounds, system } = round;
    return (
      <Page title={t`Round ${number} of ${rounds}: program ${system}`}>
        {failed !== null && <Unkept />}
        <Round
          // Another round is separate work.
          key={keyOf(round)}
          id={keyOf(round)}
          round={round}
          online={data !== undefined}
          show={show}
          refresh={() => void query.refetch()}
          failed={setFailed}
        />
      </Page>
    );
  }
  return (
    <Page title={t`My round`}>
      {nothing ? (
        <p role="status">
          <Trans>
            No round is open for you now. The organizers open rounds one after another; yours will appear here within
            half a minute. You need not reload this page.
          </Trans>
        </p>
      ) : query.error && stored !== undefined ? (
        <Problem error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </Page>
  );
}

/** Return the storage key of a round: within a round with this end time, the person's name is unique. */
function keyOf({ until, person }: RoundBody): string {
  return `round ${until} ${person}`;
}

/** Return the round stored on this device, null if there is none or it is over; undefined until the lookup ends. */
function useKeptRound(enabled: boolean): RoundBody | null | undefined {
  const [stored, setStored] = useState<RoundBody | null | undefined>(undefined);
  useEffect(() => {
    if (!enabled) return;
    recallRound().then(
      (round) => setStored(round && Date.parse(round.until) > Date.now() ? round : null),
      () => setStored(null),
    );
  }, [enabled]);
  return enabled ? stored : null;
}

const LONGEST = 4000;

interface RoundProps {
  id: string;
  round: RoundBody;
  online: boolean;
  show: (round: RoundBody) => void;
  refresh: () => void;
  failed: (error: unknown) => void;
}

/** A program's work, turn by turn, and its review: stored on this device at once, saved a moment later. */
export function Round({ id, round, online, show, refresh, failed }: RoundProps) {
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
    judged: show,
    failed,
  });
  const closed = closedBy(isRunning, lock.held, work.save);
  const [status, announce] = useState("");
  const comment = useRef<HTMLTextAreaElement>(null);
  const steps = useSteps(work, { goTo: nothing, announce });
  const review = useMemo(() => toReview(work.fragments), [work.fragments]);
  const remaining = round.total - round.parts.length;
  const run = (command: Command | null) => {
    if (command && closed === null) work.run(command);
  };
  const answer = (place: number, yes: boolean) => {
    const question = round.questions[place];
    if (question) run(answering(work.fragments, question.key, yes));
  };
  const turning = useAction(
    async () => {
      // Save the review before the turn: the turn makes a revision of its own.
      await work.saveNow();
      return await post("/v1/round/turns", {});
    },
    async (turned) => {
      if (!turned) return;
      await journal.current?.moved(turned.revision);
      show(turned);
    },
  );
  const showNext = () => {
    if (remaining <= 0) return announce(t`That was the end of the program's work`);
    if (!turning.isPending && closed === null) turning.mutate();
  };
  const newest = useRef<HTMLHeadingElement>(null);
  const partCount = useRef(round.parts.length);
  useEffect(() => {
    if (round.parts.length > partCount.current) newest.current?.focus();
    partCount.current = round.parts.length;
  }, [round.parts.length]);
  useLetters((event) => {
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    if (digit !== undefined) answer(Number(digit) - 1, !event.shiftKey);
    else if (event.code === "KeyN") showNext();
    else if (event.code === "KeyC") comment.current?.focus();
    else return false;
    return true;
  });
  useWorkKeys(steps, { saveNow: work.saveNow }, closed === null, [
    { keys: "n", does: t`show the next turn` },
    { keys: `1 … ${round.questions.length}`, does: t`yes to a question; with Shift no` },
    { keys: "c", does: t`to the comment` },
  ]);
  const closesAt = isRunning ? round.until : null;
  const controls = { ...work, closed, closesAt, takeOver: lock.takeOver, refresh };
  return (
    <div className={styles.annotator}>
      <Bar work={controls} label={t`The round`} steps={steps} />
      {work.save.kind === "conflict" && (
        <Disagreement settle={work.settle}>
          <Side title={t`This device`} fragments={work.fragments} questions={round.questions} />
          <Side title={t`The other device`} fragments={work.save.theirs} questions={round.questions} />
        </Disagreement>
      )}
      <p role="status" className={styles.todo}>
        <ToDo round={round} review={review} isRunning={isRunning} left={remaining} />
      </p>
      <div className={styles.twoColumns} data-part="columns">
        <PageSection id="work" title={t`Course of the program's dialogue`} className={styles.essay}>
          <ol className={styles.turns}>
            {round.parts.map((part, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added, behind the others
              <li key={place}>
                <PartOfWork part={part} heading={place === round.parts.length - 1 ? newest : null} />
              </li>
            ))}
          </ol>
          {turning.error && <Problem error={turning.error} retry={showNext} />}
          {closed === null && remaining > 0 && (
            <Button primary isDisabled={turning.isPending} onPress={showNext}>
              {t`Show the next turn`} <kbd>N</kbd>
            </Button>
          )}
          {remaining <= 0 && <p className={styles.help}>{t`This was all of the program's work.`}</p>}
        </PageSection>
        <PageSection id="review" title={t`Your description`} className={styles.side}>
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
              {t`Comment (may be empty)`} <kbd>C</kbd>
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
        </PageSection>
      </div>
      <p className="sr-only" role="status">
        {status}
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

function ToDo({ round, review, isRunning, left }: ToDoProps) {
  const open = round.questions.length - Object.keys(review.answers).length;
  const { person, until } = round;
  if (!isRunning) {
    return (
      <Trans>
        The round ended <Moment at={until} />: answers saved before count. The next round will appear here when the
        organizers open it.
      </Trans>
    );
  }
  if (left > 0) {
    return (
      <Trans>
        You are {person}. Read the turn, then ask for the next one: <Plural value={left} one="# more" other="# more" />.
        You may answer, and change your answers, at any time.
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
      You are {person}. Every question is answered. You need not hand anything in: the answers saved when the time is
      out count, and you may change them until then.
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

interface SideProps {
  title: string;
  fragments: readonly Fragment[];
  questions: RoundBody["questions"];
}

function Side({ title, fragments, questions }: SideProps) {
  const language = useLanguage();
  const { answers, comment } = toReview(fragments);
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {questions.map(({ key, text }) => (
          <li key={key}>
            {inLanguage(text, language)}{" "}
            <b>{answers[key] === undefined ? "—" : answers[key] ? <Trans>yes</Trans> : <Trans>no</Trans>}</b>
          </li>
        ))}
      </ul>
      {comment && <p className={styles.explanation}>{comment}</p>}
    </div>
  );
}

type Part = Readonly<Record<string, unknown>>;

const SECOND = 1_000;

/** The first data, or one turn of a program with its result. */
function PartOfWork({ part, heading }: { part: Part; heading: Ref<HTMLHeadingElement> }) {
  const { t } = useLingui();
  const language = useLanguage();
  const after = typeof part.after_ms === "number" ? part.after_ms / SECOND : null;
  const seconds = new Intl.NumberFormat(language === "ru" ? "ru-RU" : "en-GB", { maximumFractionDigits: 1 });
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        <Name of={part} />
        {after !== null && (
          <>
            {" "}
            <small className={styles.after}>{t`after ${seconds.format(after)} s`}</small>
          </>
        )}
      </h3>
      <StudyResults by={part} />
    </>
  );
}

function Name({ of: { kind, answer } }: { of: Part }): ReactNode {
  const { t } = useLingui();
  const codes = codesOf(answer);
  const words: Record<string, string> = {
    first_data: t`The first data`,
    preliminary: t`Preliminary diagnosis: ${codes}`,
    study: t`Asks for a study: ${codes}`,
    diagnosis: t`Final diagnosis: ${codes}`,
    refusal: t`Refuses to make a diagnosis`,
    time_out: t`The time ran out without a final diagnosis`,
  };
  return words[String(kind)] ?? `${String(kind)}: ${codes}`;
}

/** Return the codes in an answer, in their order; a dash if it has none. */
function codesOf(answer: unknown): string {
  const codes = (Array.isArray(answer) ? answer : [answer]).map((part: Part | null | undefined) =>
    String(part?.code ?? part?.study ?? ""),
  );
  return codes.filter(Boolean).join(", ") || "—";
}

function StudyResults({ by }: { by: Part }) {
  const { t } = useLingui();
  const content = by.content as Part | undefined;
  const response = by.response as { found?: boolean; files?: readonly Part[] } | null | undefined;
  if (content)
    return <Document xml={String(content.xml ?? JSON.stringify(content, null, 1))} label={t`The first data`} />;
  if (!response) return null;
  if (!response.found) return <p>{t`No such study exists.`}</p>;
  return response.files?.map((file) => {
    const service = String(file.service ?? "");
    return (
      <Document
        key={String(file.number)}
        xml={String(file.xml ?? JSON.stringify(file, null, 1))}
        label={t`Result of ${service}`}
      />
    );
  });
}

/** A clinical document by its sections; shown unparsed if it is not complete XML. */
function Document({ xml, label }: { xml: string; label: string }) {
  const facts = sectionsOf(xml);
  return (
    <section aria-label={label} className={styles.document}>
      {facts === null ? (
        <pre>{xml}</pre>
      ) : (
        facts.map(({ title, texts, names }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a document does not change
          <div key={place}>
            {title && <h4>{title}</h4>}
            {texts.map((text) => (
              <p key={text}>{text}</p>
            ))}
            {names.length > 0 && <p className={styles.help}>{names.join("; ")}</p>}
          </div>
        ))
      )}
    </section>
  );
}

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { get, post, put, type Schemas } from "@/api/client";
import { useSession } from "@/auth/hooks";
import type { SentTokens } from "@/text/commands";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Act, Field, Form, LONGEST_REASON, useAction } from "@/ui/forms";
import { Fact, Forbidden, isForbidden, Moment, Page, Problem, Skeleton } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Annotator } from "./Annotator";
import { Deadline, StateOf } from "./AssignmentsPage";
import styles from "./annotator.module.css";
import { Decided } from "./Decided";
import type { Assignment } from "./desk";
import { Edits } from "./Edits";
import { keepPage, Unkept, useLock, useOwnDesk } from "./journals";
import { Ratings } from "./Ratings";
import { draftOf, isAway, kindOf, recall, remember, type Taken, type Work } from "./server";

/** Page of one assignment: its start, the work on it, its outcome. */
export function AssignmentPage() {
  const { t } = useLingui();
  useEffect(keepPage, []);
  const { assignmentId } = useParams({ from: "/assignments/$assignmentId" });
  const session = useSession();
  const query = {
    ...get("/v1/assignments/{assignment_id}", { assignment_id: assignmentId }),
    enabled: session.state !== "coming",
  };
  // Fetched once: afterwards the page itself holds most of the state, and each save returns the rest.
  const work = useQuery({ ...query, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false });
  const classifier = useQuery({ ...get("/v1/classifier", {}), staleTime: Number.POSITIVE_INFINITY });
  const noNetwork = session.state === "coming" && session.away === true;
  const stored = useKept(assignmentId, noNetwork || isAway(work.error));
  const title = t`An assignment`;
  if (work.data && classifier.data) {
    // A contest that lists no codes has no subjects in its classifier.
    const { subjects = {}, titles = {} } = classifier.data.classifier as Partial<Schemas["Classifier"]>;
    const codes = subjects[work.data.assignment.subject] ?? [];
    return <Stage key={assignmentId} opened={{ work: work.data, codes, titles }} online />;
  }
  if (stored) return <Stage key={assignmentId} opened={stored} online={false} />;
  const error = work.error ?? classifier.error;
  if (isForbidden(error)) return <Forbidden error={error} />;
  return (
    <Page title={title}>
      {error && stored !== undefined ? (
        <Problem error={error} retry={() => void Promise.all([work.refetch(), classifier.refetch()])} />
      ) : (
        <Skeleton lines={12} />
      )}
    </Page>
  );
}

/** Return the essay stored on this device, null if there is none; undefined until the lookup ends. */
function useKept(assignmentId: string, enabled: boolean): Taken | null | undefined {
  const [stored, setStored] = useState<Taken | null | undefined>(undefined);
  useEffect(() => {
    if (enabled) recall(assignmentId).then(setStored, () => setStored(null));
  }, [assignmentId, enabled]);
  return enabled ? stored : null;
}

function Stage({ opened, online }: { opened: Taken; online: boolean }) {
  const { assignment } = opened.work;
  const language = useLanguage();
  const subject = inLanguage(opened.titles[assignment.subject] ?? { en: assignment.subject }, language);
  const title = useTitle(assignment, subject, isListed(opened));
  if (assignment.state === "assigned") return <Start opened={opened} title={title} />;
  return (
    <Page title={title}>
      {opened.work.content ? <Opened opened={opened} online={online} /> : <Ended of={opened.work} />}
    </Page>
  );
}

/** True if the contest lists codes for the annotated text, which makes it an essay. */
function isListed({ codes }: Taken): boolean {
  return codes.length > 0;
}

function useTitle({ ratings }: Assignment, subject: string, listed: boolean): string {
  const { t } = useLingui();
  if (ratings) return t`Explanations to rate: ${subject}`;
  return listed ? t`Essay: ${subject}` : t`Text: ${subject}`;
}

function Start({ opened, title }: { opened: Taken; title: string }) {
  const { t } = useLingui();
  const { assignment } = opened.work;
  const client = useQueryClient();
  const minutes = Math.round(assignment.limit_s / 60);
  const path = { assignment_id: assignment.assignment_id };
  const opening = useAction(
    () => post("/v1/assignments/{assignment_id}/open", path),
    (work) => client.setQueryData(get("/v1/assignments/{assignment_id}", path).queryKey, work),
  );
  return (
    <Page title={title}>
      <dl className={parts.facts}>
        <Fact name={t`Id`} code={assignment.assignment_id} />
        {assignment.words > 0 && <Fact name={t`Words`}>{assignment.words}</Fact>}
        <Fact name={t`Deadline`}>
          <Deadline assignment={assignment} />
        </Fact>
      </dl>
      <p>
        <Trans>
          The time runs from the moment you open it, and does not stop:{" "}
          <Plural value={minutes} one="# minute" other="# minutes" />.
        </Trans>
      </p>
      <p>
        <Trans>
          Your changes are stored on this device at once and on the platform a second later. When the time is out, your
          last saved draft without errors becomes the markup.
        </Trans>
      </p>
      {opening.problem}
      <Act primary of={opening}>
        {assignment.ratings || !isListed(opened) ? t`Open and start the time` : t`Open the essay and start the time`}
      </Act>{" "}
      <Link to="/assignments">{t`Not now`}</Link>
    </Page>
  );
}

function Opened({ opened, online }: { opened: Taken; online: boolean }) {
  const { work } = opened;
  const { assignment_id: id, state } = work.assignment;
  const client = useQueryClient();
  const lock = useLock(`hurdle.essay.${id}`);
  const [error, setError] = useState<unknown>(null);
  const key = get("/v1/assignments/{assignment_id}", { assignment_id: id }).queryKey;
  const changed = useCallback(
    (assignment: Assignment) =>
      client.setQueryData(key, (before: Work | undefined) => before && { ...before, assignment }),
    [client, key],
  );
  const refresh = useCallback(() => void client.refetchQueries({ queryKey: key }), [client, key]);
  useEffect(() => {
    if (online && state === "opened") remember(id, opened).catch(setError);
  }, [id, online, state, opened]);
  const desk = useOwnDesk({
    taken: opened,
    online,
    open: state === "opened",
    lock,
    changed,
    refresh,
    failed: setError,
  });
  const visible = state === "opened" ? desk : { ...desk, fragments: draftOf(work).fragments };
  if (!lock.asked) return <Skeleton lines={12} />;
  return (
    <>
      {state !== "opened" && <Ended of={work} />}
      {error !== null && <Unkept />}
      <Decided work={work} />
      <Note assignment={work.assignment} changed={changed} />
      {desk.kind === "ratings" && <Ratings desk={visible} />}
      {desk.kind === "markup" && <Annotator desk={visible} />}
      {desk.kind === "edits" && <Edits desk={visible} content={work.content as unknown as SentTokens} />}
    </>
  );
}

/** Expert's note on the essay, shown to coordinators only; it can be edited during the work and afterwards. */
function Note({ assignment, changed }: { assignment: Assignment; changed: (of: Assignment) => void }) {
  const { t } = useLingui();
  // Assignments that a device stored before notes existed have none.
  const note = assignment.note ?? "";
  const [text, write] = useState(note);
  const saving = useAction(
    () =>
      put("/v1/assignments/{assignment_id}/note", { assignment_id: assignment.assignment_id }, { text: text.trim() }),
    changed,
  );
  const isSaved = text.trim() === note;
  if (!["opened", "handed_in", "expired"].includes(assignment.state)) return null;
  return (
    <details className={styles.note}>
      <summary>{note === "" ? t`Write a note to the coordinator` : t`Your note to the coordinator`}</summary>
      <Form submit={() => saving.mutate()} problem={saving.problem}>
        <Field
          label={t`Note on this text; it is no part of the markup`}
          rows={3}
          maxLength={LONGEST_REASON}
          value={text}
          change={write}
        />
        <Button type="submit" isDisabled={isSaved || saving.isPending}>
          {t`Save the note`}
        </Button>{" "}
        <span role="status">{isSaved && note !== "" && t`Saved; the coordinator reads it.`}</span>
      </Form>
    </details>
  );
}

/** Outcome of an assignment: the receipt, or the reason why there is none. */
export function Ended({ of }: { of: Work }) {
  const { t } = useLingui();
  const { assignment } = of;
  const { markup, draft } = assignment;
  const fragments = of.content ? draftOf(of).fragments : [];
  const isLatest = markup !== null && markup.revision === draft?.revision;
  return (
    <section className={styles.receipt} role="status">
      <h2>
        <StateOf state={assignment.state} />
      </h2>
      {markup ? (
        <p>
          <Trans>
            Your draft of <Moment at={markup.saved_at} /> is the markup.
          </Trans>{" "}
          {isLatest &&
            {
              ratings: <Plural value={fragments.length} one="# explanation rated." other="# explanations rated." />,
              edits: <Plural value={fragments.length} one="# error." other="# errors." />,
              markup: <Plural value={fragments.length} one="# fragment." other="# fragments." />,
            }[kindOf(of)]}
        </p>
      ) : (
        <p>{t`None of your drafts became the markup.`}</p>
      )}
      {markup && !isLatest && (
        <p>{t`Later drafts had errors and did not count. If that is wrong, tell the coordinator at once.`}</p>
      )}
      {assignment.reason && <p>{assignment.reason}</p>}
      {markup && (
        <p>
          <Trans>
            Revision {markup.revision}, SHA-256 <code>{markup.content_sha256}</code>
          </Trans>
        </p>
      )}
      <Link to="/assignments">{kindOf(of) === "edits" ? t`To the next text` : t`To the next essay`}</Link>
    </section>
  );
}

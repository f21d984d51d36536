import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { api, post, queryClient, read, type Schemas } from "@/api/client";
import { listening } from "@/api/listening";
import { type Cycle, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Act, Checks, Choice, Confirmed, Form, useAction } from "@/ui/forms";
import { HUNDRED, percent } from "@/ui/numbers";
import { Countdown, Moment, PageSection, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { bring, measured, partsOf } from "@/upload/parts";
import styles from "./submissions.module.css";
import { bytesText, KINDS, type Kind, type Submission } from "./words";

type Order = Schemas["SubmissionRequest"];

/** Create a submission, from the choice of a file to its announcement; its upload is shown on its own page. */
export function NewSubmission({ cycle }: { cycle: Cycle }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const sets = Object.entries(cycle.sets);
  const subtasks = [...new Set(Object.values(cycle.languages).flat())];
  const [kind, setKind] = useState<Kind>(cycle.submissions[0] ?? "answers");
  const [set, setSet] = useState((sets.find(([, { kind }]) => kind === "test") ?? sets[0])?.[0] ?? "");
  const [remaining, setRemaining] = useState<readonly string[]>([]);
  const [file, setFile] = useState<File | null>(null);
  const [read, setRead] = useState(0);
  const stop = useRef<AbortController>(null);
  const key = useKey();
  useEffect(() => () => stop.current?.abort(), []);
  const chosen = kind === "program" ? subtasks.filter((subtask) => !remaining.includes(subtask)) : [];
  const announcing = useAction(
    async (file: File) => {
      setRead(0);
      stop.current = new AbortController();
      const { size, sha256, parts: hashes } = await measured(file, { tell: setRead, signal: stop.current.signal });
      const some = chosen.length < subtasks.length ? chosen : [];
      const body: Order = { kind, bytes: size, sha256, parts: hashes, set, groups: [...some] };
      const params = { header: { "Idempotency-Key": key(body) } };
      const { data } = await api.POST("/v1/submissions", { params, body });
      return data as Submission;
    },
    async (answer, order) => {
      void carryOn(answer, order);
      await askedAnew();
      await navigate({ to: "/cabinet/submissions/$submissionId", params: { submissionId: answer.submission_id } });
    },
  );
  const isStopped = announcing.error instanceof DOMException && announcing.error.name === "AbortError";
  return (
    <PageSection id="new-title" title={t`New submission`} className={parts.box}>
      <Form submit={() => file && announcing.mutate(file)}>
        {announcing.error && !isStopped && <Problem error={announcing.error} />}
        {cycle.submissions.length > 1 && (
          <Choice
            label={t`Content of the submission`}
            value={kind}
            change={setKind}
            options={cycle.submissions}
            named={(kind) => KINDS[kind]}
          />
        )}
        {sets.length > 1 && (
          <Choice
            label={t`Set of the answers`}
            value={set}
            change={setSet}
            options={sets.map(
              ([name, { files, kind }]) =>
                [
                  name,
                  kind === "test" ? t`${name}: test, items: ${files}` : t`${name}: training, items: ${files}`,
                ] as const,
            )}
          />
        )}
        {kind === "program" && subtasks.length > 1 && (
          <Checks
            legend={t`Subtasks that it answers; the others count zero`}
            options={subtasks}
            chosen={chosen}
            change={(names) => setRemaining(subtasks.filter((name) => !names.includes(name)))}
            className={styles.choice}
          />
        )}
        <label className={parts.field}>
          {kind === "program"
            ? t`Archive (zip with metadata.json at its root)`
            : t`File with the answers to the whole set`}
          <input required type="file" onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)} />
        </label>
        {announcing.isPending && file ? (
          <>
            <p role="status">{t`The file is being read to compute its SHA-256.`}</p>
            <Bar done={read} of={file.size} />
            <Button onPress={() => stop.current?.abort()}>
              <Trans context="deed">Stop</Trans>
            </Button>
          </>
        ) : (
          <Button primary type="submit" isDisabled={!file || (kind === "program" && chosen.length === 0)}>
            {t`Submit`}
          </Button>
        )}
      </Form>
    </PageSection>
  );
}

/** Return the idempotency key of an order: sent again after a lost answer, it is the same submission. */
function useKey(): (order: Order) => string {
  const sent = useRef({ of: "", key: "" });
  return (order) => {
    const text = JSON.stringify(order);
    if (sent.current.of !== text) sent.current = { of: text, key: crypto.randomUUID() };
    return sent.current.key;
  };
}

/** Show an upload that is not handed in yet: its progress in this tab, or how to continue it. */
export function Uploading({ submission }: { submission: Submission }) {
  const going = useUpload(submission.submission_id);
  return (
    <PageSection id="upload-title" title={<Trans>Upload</Trans>} className={parts.box}>
      {going ? (
        <Here submission={submission} going={going} />
      ) : submission.missing_parts.length > 0 ? (
        <GoOn submission={submission} />
      ) : (
        <Whole submission={submission} />
      )}
      {submission.upload_until && (
        <p>
          <Trans>
            It is refused if you do not hand it in by <Moment at={submission.upload_until} />; left:{" "}
            <Countdown to={submission.upload_until} />. Until then it does not count.
          </Trans>
        </p>
      )}
      <Confirmed
        label={<Trans>Discard the upload</Trans>}
        asks={
          <Trans>
            Discard this upload? The parts that have arrived are not used, and it does not count; you can submit the
            file again.
          </Trans>
        }
        act={() => giveUp(submission.submission_id)}
        done={askedAnew}
      />
    </PageSection>
  );
}

function Here({ submission, going }: { submission: Submission; going: Going }) {
  const { t } = useLingui();
  const { arrived, size, error, waiting } = going;
  const isStopped = error !== null;
  return (
    <>
      <Bar done={arrived} of={size} />
      {isStopped && <Problem error={error} />}
      {waiting && !isStopped && (
        <p role="alert">
          {t`The connection is lost. The upload continues when it is back; the parts that have arrived are stored.`}
        </p>
      )}
      {isStopped ? (
        submission.missing_parts.length > 0 ? (
          <GoOn submission={submission} />
        ) : (
          <Whole submission={submission} />
        )
      ) : (
        <>
          <p className={parts.note}>{t`Other pages of the site may be opened meanwhile; leave this tab open.`}</p>
          <Button onPress={() => stopUpload(submission.submission_id)}>{t`Stop the upload`}</Button>
        </>
      )}
    </>
  );
}

function Bar({ done, of }: { done: number; of: number }) {
  const { t } = useLingui();
  const language = useLanguage();
  const [has, all] = [bytesText(done, language), bytesText(of, language)];
  const share = percent((done / of) * HUNDRED, language);
  return (
    <p>
      <progress className={styles.bar} value={done} max={of} aria-label={t`Upload`} />{" "}
      <Trans>
        {has} of {all}, {share} %
      </Trans>
    </p>
  );
}

/** Show an upload with all its parts: the last step was refused, or somebody stopped before it. */
function Whole({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  const handing = useAction(() => handIn(submission.submission_id), undefined, { onSettled: askedAnew });
  return (
    <>
      <p>{t`The whole file has arrived. It is checked and scored when you hand it in.`}</p>
      {handing.problem}
      <Act primary of={handing}>
        {t`Hand in`}
      </Act>
    </>
  );
}

class AnotherFile extends Error {}

/** After a reload the page has no file any more: the same one is chosen again, and only missing parts are uploaded. */
function GoOn({ submission }: { submission: Submission }) {
  const { t } = useLingui();
  const language = useLanguage();
  const [read, setRead] = useState<number | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const going = useAction(
    async (file: File) => {
      stop.current = new AbortController();
      if (file.size !== submission.bytes) throw new AnotherFile();
      const { sha256 } = await measured(file, { tell: setRead, signal: stop.current.signal });
      if (sha256 !== submission.sha256) throw new AnotherFile();
      void carryOn(submission, file);
    },
    undefined,
    { onSettled: () => setRead(null) },
  );
  const name = localStorage.getItem(NAMES + submission.submission_id) ?? t`the same file`;
  const all = partsOf(submission.bytes).length;
  const there = all - submission.missing_parts.length;
  const size = bytesText(submission.bytes, language);
  return (
    <>
      <p>
        <Trans>
          The upload is interrupted: {there} of {all} parts have arrived. Choose {name} again ({size}); only the missing
          parts are uploaded.
        </Trans>
      </p>
      {going.error &&
        (going.error instanceof AnotherFile ? (
          <p role="alert" className={parts.void}>
            <Trans>
              This is not the announced file: size or SHA-256 differ. The announced one has {submission.bytes} bytes and
              the SHA-256 <code>{submission.sha256}</code>. For another file begin a new submission.
            </Trans>
          </p>
        ) : (
          <Problem error={going.error} />
        ))}
      <label className={parts.field}>
        {t`Announced file`}
        <input
          type="file"
          disabled={going.isPending}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file) going.mutate(file);
          }}
        />
      </label>
      {read !== null && <p role="status">{t`The file is being read and compared.`}</p>}
    </>
  );
}

/** Upload of this tab; it goes on whatever page of the site is open. */
interface Going {
  arrived: number;
  size: number;
  /** True while the connection is lost and waited for. */
  waiting: boolean;
  /** Error that stopped the upload; null while it goes on. */
  error: unknown;
  stop: AbortController;
}

const going = new Map<string, Going>();
const uploads = listening();
/** Key prefix of files' names by submissions, so that after a reload the page names the file to choose. */
const NAMES = "hurdle.submitted.";

function useUpload(submissionId: string): Going | undefined {
  return useSyncExternalStore(uploads.on, () => going.get(submissionId));
}

/** Upload the missing parts of a submission's file and hand it in; keep the error of a failure until a new start. */
async function carryOn(submission: Submission, file: File): Promise<void> {
  const id = submission.submission_id;
  const stop = new AbortController();
  localStorage.setItem(NAMES + id, file.name);
  const change = (how: Partial<Going>) => put(id, { ...(going.get(id) as Going), ...how });
  put(id, { arrived: 0, size: file.size, waiting: false, error: null, stop });
  try {
    await bring({
      file,
      missing: submission.missing_parts,
      address: (part) => addressOf(id, part),
      tell: (arrived) => change({ arrived }),
      waits: (waiting) => change({ waiting }),
      signal: stop.signal,
    });
    await handIn(id);
    put(id, undefined);
  } catch (error) {
    if (stop.signal.aborted) put(id, undefined);
    else change({ error });
  }
  await askedAnew();
}

/** Stop the upload in this tab; the uploaded parts stay on the platform. */
function stopUpload(submissionId: string): void {
  going.get(submissionId)?.stop.abort();
}

async function handIn(submissionId: string): Promise<void> {
  await post("/v1/submissions/{submission_id}/complete", { submission_id: submissionId });
  localStorage.removeItem(NAMES + submissionId);
}

/** Cancel an upload for good; this tab uploads nothing more of it. */
async function giveUp(submissionId: string): Promise<void> {
  stopUpload(submissionId);
  await post("/v1/submissions/{submission_id}/give-up", { submission_id: submissionId });
  localStorage.removeItem(NAMES + submissionId);
}

/** Refetch all shown data of submissions. */
export function askedAnew(): Promise<void> {
  return queryClient.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).includes("submissions") });
}

async function addressOf(submissionId: string, part: number): Promise<string> {
  const path = { submission_id: submissionId, part };
  return (await read("/v1/submissions/{submission_id}/parts/{part}", path)).address;
}

function put(id: string, how: Going | undefined): void {
  if (how) going.set(id, how);
  else going.delete(id);
  const goes = [...going.values()].some(({ error }) => error === null);
  // Ask before the tab is closed: with it the file is out of reach.
  window[goes ? "addEventListener" : "removeEventListener"]("beforeunload", ask);
  uploads.tell();
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { EVERY, get, read, readFile } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useLanguage } from "@/ui/contest";
import { PageLink } from "@/ui/controls";
import { Act, Downloads, useAction } from "@/ui/forms";
import { Answered, Countdown, Fact, Moment, Page, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { checkPromise, checkRun, type Step, type StepName } from "@/verify/run";
import { isArchived, mayHaveArchive } from "./participation";
import styles from "./public.module.css";
import { Amendments, MODES, type Run as RunAnswer, STATES } from "./Runs";

/** Show a run: its clock while it is on, its commitment, and after its end the record and the check of both. */
export function Run() {
  const { i18n, t } = useLingui();
  const { runId } = useParams({ from: "/runs/$runId" });
  const run = useQuery(get("/v1/runs/{run_id}", { run_id: runId }, EVERY.run));
  return (
    <Page title={run.data ? i18n._(MODES[run.data.mode]) : t`A run`}>
      <Answered of={run}>{(data) => <RunDetails run={data} />}</Answered>
    </Page>
  );
}

function RunDetails({ run }: { run: RunAnswer }) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const ended = run.state === "finished" || run.state === "stopped";
  const interval = new Intl.NumberFormat(language).format(run.interval_s);
  const { statement } = run.commitment;
  return (
    <>
      <Clock run={run} />
      <dl className={parts.facts}>
        <Fact name={t`State`}>{i18n._(STATES[run.state])}</Fact>
        <Fact name={t`First file opens`} at={run.starts_at} />
        <Fact name={t`Ends`} at={run.ends_at} />
        <Fact name={t`Sessions may be opened`}>
          <Moment at={run.join_from} /> – <Moment at={run.join_until} />
        </Fact>
        <Fact name={t`Files`}>{t`${run.files}, one every ${interval} s`}</Fact>
        {run.restarts && (
          <Fact name={t`Takes the place of`}>
            <PageLink to="/runs/$runId" id={run.restarts}>
              {run.restarts}
            </PageLink>
          </Fact>
        )}
      </dl>
      <Amendments amendments={run.amendments} rulings={run.rulings} />
      <h2>{t`Commitment`}</h2>
      <p>
        <Trans>
          Signed <Moment at={statement.made_at} />, before anybody saw a file. Keep these two lines, and you can prove
          later that no file was swapped.
        </Trans>
      </p>
      <dl className={parts.facts}>
        <Fact name={t`Root of the files`} code={statement.root} />
        <Fact name={t`Signature`} code={run.commitment.signature} />
      </dl>
      <Verify run={run} ended={ended} key={run.state} />
      <Archive run={run} />
    </>
  );
}

/** Link to a final's archive if it exists: some minutes after the results. Clause: R 7.14 */
function Archive({ run }: { run: RunAnswer }) {
  const archived = useQuery({
    queryKey: ["archived", run.run_id],
    queryFn: () => isArchived(run.run_id),
    enabled: mayHaveArchive(run),
    refetchInterval: ({ state }) => (state.data ? false : EVERY.idle),
  });
  if (!mayHaveArchive(run) || !archived.data) return null;
  return (
    <Downloads
      title={<Trans>Public archive</Trans>}
      name={`archive-${run.run_id}`}
      of={[["ZIP", () => readFile("/v1/runs/{run_id}/archive", { run_id: run.run_id })]]}
    />
  );
}

function Clock({ run }: { run: RunAnswer }) {
  if (run.state === "paused") {
    return (
      <p className={styles.next} role="status">
        <Trans>The organizers have paused the run.</Trans>{" "}
        {run.paused_until && (
          <Trans>
            It continues <Moment at={run.paused_until} />.
          </Trans>
        )}
      </p>
    );
  }
  if (!run.next_opening) return null;
  const { number, opens_at: opens } = run.next_opening;
  return (
    <p className={styles.next}>
      <Trans>
        File {number} of {run.files} opens in
      </Trans>{" "}
      <strong>
        <Countdown to={opens} />
      </strong>
    </p>
  );
}

const STEPS: Record<StepName, MessageDescriptor> = {
  form: msg`The record has a form that this page knows`,
  promises: msg`The record holds the commitment and the decisions that the platform shows`,
  signatures: msg`Every statement is signed by the platform's key`,
  chain: msg`Every statement names the hash of the one before it`,
  record: msg`The record is the one that was signed`,
  roster: msg`The teams are those sealed when joining was over: none missing, none added`,
  rulings: msg`Rulings on single files are those that were sealed when they were made, and the record follows them`,
  files: msg`The files are those of the commitment (the Merkle root is the same)`,
  schedule: msg`Every file has its place in the schedule`,
  openings: msg`Every file opened at the time given by the commitment and the decisions`,
  times: msg`Nobody got a file before it opened, and no row of the record contradicts itself`,
};

/** Recompute hashes, tree and signatures in the browser; show the steps that pass, or the first that fails. */
function Verify({ run, ended }: { run: RunAnswer; ended: boolean }) {
  const { i18n, t } = useLingui();
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const checking = useAction(async () => {
    setSteps([]);
    const { keys } = await read("/v1/keys", {});
    const answer = ended ? await recordOf(run.run_id) : undefined;
    for await (const step of answer ? checkRun(run, answer, keys) : checkPromise(run, keys)) {
      setSteps((before) => [...before, step]);
    }
    return answer !== undefined;
  });
  const failed = steps.some((step) => step.fault !== null);
  return (
    <>
      <h2>{t`Check it yourself`}</h2>
      <p>
        {ended
          ? t`This page fetches the run's record and recomputes it here, on your machine.`
          : t`Until the run ends, the signatures of the commitment can be checked; then also the files, the openings and the times.`}
      </p>
      <Act of={checking}>{t`Verify in this page`}</Act>
      {checking.error && <Unchecked error={checking.error} retry={() => checking.mutate()} />}
      <ol className={styles.steps} aria-live="polite">
        {steps.map(({ name, count, fault }) => (
          <li key={name} className={fault === null ? styles.holds : styles.fails}>
            {fault === null ? "✓ " : "✗ "}
            {i18n._(STEPS[name])} <span className={styles.count}>({count})</span>
            {fault !== null && (
              <>
                {": "}
                <strong>{t`does not hold: ${fault}`}</strong>
              </>
            )}
          </li>
        ))}
      </ol>
      {checking.isSuccess && (
        <p role="status">
          {failed
            ? t`The check stopped at the failed step. Save this page and tell the organizers.`
            : t`Every step holds.`}
          {ended && !checking.data && (
            <> {t`The run's record is being computed; until then the commitment is checked.`}</>
          )}
        </p>
      )}
      <p>
        <Trans>
          Independently of this page: <code>pku verify-run {run.run_id}</code>, or OpenSSL alone, as the page on
          fairness in the source code explains.
        </Trans>
      </p>
    </>
  );
}

/** Return a run's record; undefined in the minutes between the run's end and the creation of the record. */
async function recordOf(run_id: string) {
  try {
    return await read("/v1/runs/{run_id}/record", { run_id });
  } catch (error) {
    if (error instanceof ApiError && error.code === "run_not_over") return undefined;
    throw error;
  }
}

/** Show why nothing was checked: the browser has no Ed25519, or the platform refused with its own message. */
function Unchecked({ error, retry }: { error: unknown; retry: () => void }) {
  const { t } = useLingui();
  if (error instanceof DOMException && error.name === "NotSupportedError") {
    return <p role="alert">{t`This browser cannot verify Ed25519 signatures. Use the command below.`}</p>;
  }
  return <Problem error={error} retry={retry} />;
}

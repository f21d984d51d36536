import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { ApiError } from "@/api/problem";
import { Button } from "@/ui/controls";
import { Problem } from "@/ui/Page";
import { checkPromise, checkRun, type Run, type Step, type StepName } from "@/verify/run";
import styles from "./public.module.css";

const STEPS: Record<StepName, MessageDescriptor> = {
  form: msg`The record has a form that this page knows`,
  promises: msg`The record holds the commitment and the decisions that the platform shows`,
  signatures: msg`Every statement is signed by the platform's key`,
  chain: msg`Every statement names the hash of the one before it`,
  record: msg`The record is the one that was signed`,
  roster: msg`The teams are those that were sealed when joining was over: none is left out, none added`,
  rulings: msg`Rulings on single files are those that were sealed when they were made, and the record follows them`,
  files: msg`The files are those that were committed to (the tree's root comes out the same)`,
  schedule: msg`Every file has its place in the schedule`,
  openings: msg`Every file opened when the commitment and the decisions say`,
  times: msg`Nobody got a file before it opened, and no row of the record contradicts itself`,
};

/** Recomputes hashes, tree and signatures here, and shows every step: green, or the first that fails. */
export function Verify({ run, ended }: { run: Run; ended: boolean }) {
  const { i18n, t } = useLingui();
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const checking = useMutation({
    mutationFn: async () => {
      setSteps([]);
      const { data: keys } = await api.GET("/v1/keys");
      const answer = ended ? await recordOf(run.run_id) : undefined;
      if (!keys) return answer !== undefined;
      for await (const step of answer ? checkRun(run, answer, keys.keys) : checkPromise(run, keys.keys)) {
        setSteps((before) => [...before, step]);
      }
      return answer !== undefined;
    },
  });
  const failed = steps.some((step) => step.fault !== null);
  return (
    <>
      <h2>
        <Trans>Check it yourself</Trans>
      </h2>
      <p>
        {ended ? (
          <Trans>This page fetches the run's record and recomputes it here, on your machine.</Trans>
        ) : (
          <Trans>
            Until the run ends, the signatures of what is promised can be checked; then also the files, the openings and
            the times.
          </Trans>
        )}
      </p>
      <Button isDisabled={checking.isPending} onPress={() => checking.mutate()}>
        <Trans>Verify in this page</Trans>
      </Button>
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
          {failed ? (
            <Trans>The check stopped at the step that fails. Tell the organizers and keep what this page shows.</Trans>
          ) : (
            <Trans>Every step holds.</Trans>
          )}
          {ended && !checking.data && (
            <>
              {" "}
              <Trans>The run's record is being made; until it is there, what was promised is checked.</Trans>
            </>
          )}
        </p>
      )}
      <p>
        <Trans>
          Without believing this page: <code>pku verify-run {run.run_id}</code>, or OpenSSL alone, as the document on
          fairness of the source code says.
        </Trans>
      </p>
    </>
  );
}

/** A run's record; undefined in the minutes between its end and the record's making. */
async function recordOf(run_id: string) {
  try {
    return (await api.GET("/v1/runs/{run_id}/record", { params: { path: { run_id } } })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === "run_not_over") return undefined;
    throw error;
  }
}

/** Browsers without Ed25519 cannot check; what the platform refuses, it says itself. */
function Unchecked({ error, retry }: { error: unknown; retry: () => void }) {
  if (error instanceof DOMException && error.name === "NotSupportedError") {
    return (
      <p role="alert">
        <Trans>This browser cannot verify Ed25519 signatures. Use the command below.</Trans>
      </p>
    );
  }
  return <Problem error={error} retry={retry} />;
}

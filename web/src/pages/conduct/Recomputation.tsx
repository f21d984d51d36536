import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { renewed } from "@/api/queries";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { Answered, Problem } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import styles from "./conduct.module.css";
import { recomputationQuery } from "./data";

type Found = Schemas["RecomputationBody"];

/** What the independent recomputation found: while anything differs, nothing is published. */
export function Recomputation({ runId }: { runId: string }) {
  const found = useQuery(recomputationQuery(runId));
  const again = useMutation({
    mutationFn: () => api.POST("/v1/conduct/runs/{run_id}/shadow", { params: { path: { run_id: runId } } }),
    onSuccess: renewed,
  });
  return (
    <section aria-labelledby="recomputation-title">
      <h2 id="recomputation-title">
        <Trans>Independent recomputation</Trans>
      </h2>
      <Answered of={found}>{(told) => <Told of={told} />}</Answered>
      {again.error && <Problem error={again.error} />}
      <Button onPress={() => again.mutate()} isDisabled={again.isPending}>
        <Trans>Recompute once more</Trans>
      </Button>
    </section>
  );
}

function Told({ of }: { of: Found }) {
  if (of.state === "recomputing") {
    return (
      <p role="status">
        <Trans>
          Under way: {of.made} of {of.teams} teams are recomputed.
        </Trans>
      </p>
    );
  }
  const { sessions = 0, files = 0, scores = 0, receipts = 0 } = of.checked;
  return (
    <>
      {of.state === "clean" ? (
        <p className={parts.good}>
          <Trans>No difference.</Trans>
        </p>
      ) : (
        <p className={parts.void} role="alert">
          <Plural
            value={of.total}
            one="# value differs from the recomputation: the results cannot be published."
            other="# values differ from the recomputation: the results cannot be published."
          />
        </p>
      )}
      <p>
        <Trans>
          Looked at: sessions {sessions}, files {files}, scores {scores}, receipts {receipts}.
        </Trans>
      </p>
      {of.differences.length > 0 && <Differences of={of.differences} />}
    </>
  );
}

/** Each difference in the platform's words: whose, where, and both values. */
function Differences({ of }: { of: Found["differences"] }) {
  const { t } = useLingui();
  const language = useLanguage();
  return (
    <section aria-label={t`Values that differ`}>
      <ul className={styles.differences}>
        {of.map((each) => (
          <li key={`${each.session_id} ${each.number} ${each.quantity}`}>
            {language === "ru" ? each.message_ru : each.message}
          </li>
        ))}
      </ul>
    </section>
  );
}

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { api } from "@/api/client";
import { renewed } from "@/api/queries";
import { Author } from "@/ui/audit";
import { Button } from "@/ui/controls";
import { Reasoned } from "@/ui/forms";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import styles from "./conduct.module.css";
import type { Asked } from "./Decide";
import type { ConductedRun } from "./data";
import { sayNumbers } from "./fileNumbers";

interface ProposalProps {
  run: ConductedRun;
  of: NonNullable<ConductedRun["mass_failure"]>;
  organizes: boolean;
  ask: (asked: Asked) => void;
}

/** Files that every team missed at once: the platform proposes, people decide (D 1.7). */
export function Proposal({ run, of, organizes, ask }: ProposalProps) {
  const { t } = useLingui();
  const numbers = sayNumbers(of.numbers);
  const dismiss = (reason: string) =>
    api.POST("/v1/conduct/runs/{run_id}/dismissal", { params: { path: { run_id: run.run_id } }, body: { reason } });
  return (
    <section
      className={of.standing === "open" ? styles.proposal : undefined}
      aria-label={t`Proposal on a mass failure`}
    >
      <p>
        <span aria-hidden="true">⚑ </span>
        <strong>
          <Trans>Everybody missed the files {numbers} at once.</Trans>
        </strong>{" "}
        <Plural value={of.sessions} one="# session was looked at" other="# sessions were looked at" />,{" "}
        <Moment at={of.found_at} />.
      </p>
      {of.standing === "accepted" && (
        <p>
          <Trans>They were annulled or replaced for everybody.</Trans>
        </p>
      )}
      {of.dismissed && (
        <p>
          <Trans>
            Dismissed by <Author of={of.dismissed.who} name={of.dismissed.name} />, <Moment at={of.dismissed.at} />:{" "}
            {of.dismissed.reason}
          </Trans>
        </p>
      )}
      {of.standing === "open" && organizes && (
        <div className={parts.actions}>
          <Button primary onPress={() => ask({ kind: "replace", proposal: true })}>
            <Trans>Replace them…</Trans>
          </Button>
          <Reasoned
            label={<Trans>Dismiss</Trans>}
            asks={
              <Trans>
                The files {numbers} stay missed by everybody, each with the cause that it has: the platform was not at
                fault.
              </Trans>
            }
            act={dismiss}
            done={renewed}
          />
        </div>
      )}
    </section>
  );
}

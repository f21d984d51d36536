import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { api, type Schemas } from "@/api/client";
import { queryClient } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import type { Cited } from "@/ui/contest";
import { Reasoned } from "@/ui/forms";
import parts from "@/ui/parts.module.css";

interface RulingProps {
  of: Schemas["ConclusionBody"];
  done: () => unknown;
}

interface Way {
  label: ReactNode;
  asks: ReactNode;
  clause?: Cited;
  act: (reason: string) => Promise<unknown>;
}

/** The rulings that this person may make where the conclusion stands, as the platform tells. */
export function Ruling({ of, done }: RulingProps) {
  const may = { judgement: useMay("confirm_conclusions"), verification: useMay("verify_results") };
  const possible = of.possible.filter(({ step }) => may[step]);
  if (possible.length === 0) return null;
  const renew = async () => {
    await queryClient.invalidateQueries({ queryKey: ["/v1/qualification"] });
    await done();
  };
  return (
    <div className={parts.actions}>
      {possible.map((ruling, at) => (
        <Reasoned
          key={`${ruling.step} ${ruling.positive}`}
          primary={at === 0}
          {...wayOf(ruling, of.session_id)}
          done={renew}
        />
      ))}
    </div>
  );
}

function wayOf({ step, positive }: Schemas["PossibleRulingBody"], session_id: string): Way {
  const params = { path: { session_id } };
  if (step === "judgement") {
    const act = (reason: string) =>
      api.POST("/v1/sessions/{session_id}/conclusion/judgement", { params, body: { confirmed: positive, reason } });
    return positive
      ? {
          label: <Trans>Confirm</Trans>,
          asks: <Trans>Confirm the conclusion? The commission verifies it next.</Trans>,
          clause: "R 8.2.1",
          act,
        }
      : {
          label: <Trans>Reject</Trans>,
          asks: <Trans>Reject the conclusion? You may confirm it again later; both stay in the protocol.</Trans>,
          act,
        };
  }
  const act = (reason: string) =>
    api.POST("/v1/sessions/{session_id}/conclusion/verification", { params, body: { verified: positive, reason } });
  return positive
    ? {
        label: <Trans>Verify</Trans>,
        asks: <Trans>Verify the confirmed conclusion? The session counts for the team's qualification then.</Trans>,
        clause: "R 8.2.2",
        act,
      }
    : {
        label: <Trans>Return to the judges</Trans>,
        asks: <Trans>Return the conclusion to the judges? It counts for nothing until it is verified again.</Trans>,
        act,
      };
}

import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { api, type Schemas } from "@/api/client";
import { queryClient } from "@/api/queries";
import { useMay } from "@/auth/hooks";
import parts from "@/ui/parts.module.css";
import { Reasoned } from "@/ui/Reasoned";

interface RulingProps {
  of: Schemas["ConclusionBody"];
  done: () => unknown;
}

interface Way {
  key: string;
  label: ReactNode;
  asks: ReactNode;
  act: (reason: string) => Promise<unknown>;
}

/** The rulings that this person may make where the conclusion stands; the platform refuses the others again. */
export function Ruling({ of, done }: RulingProps) {
  const judges = useMay("confirm_conclusions");
  const verifies = useMay("verify_results");
  const ways = [...(judges ? judgements(of) : []), ...(verifies ? verifications(of) : [])];
  if (ways.length === 0) return null;
  const renew = async () => {
    await queryClient.invalidateQueries({ queryKey: ["/v1/qualification"] });
    await done();
  };
  return (
    <div className={parts.actions}>
      {ways.map(({ key, ...way }, at) => (
        <Reasoned key={key} primary={at === 0} {...way} done={renew} />
      ))}
    </div>
  );
}

function judgements({ session_id, standing }: RulingProps["of"]): Way[] {
  const path = { session_id };
  const judge = (confirmed: boolean) => (reason: string) =>
    api.POST("/v1/sessions/{session_id}/conclusion/judgement", { params: { path }, body: { confirmed, reason } });
  const ways: Way[] = [];
  if (standing === "awaits_judges" || standing === "rejected") {
    ways.push({
      key: "confirm",
      label: <Trans>Confirm</Trans>,
      asks: <Trans>Confirm the conclusion? The commission verifies it next (R 8.2.1).</Trans>,
      act: judge(true),
    });
  }
  if (standing === "awaits_judges" || standing === "awaits_commission") {
    ways.push({
      key: "reject",
      label: <Trans>Reject</Trans>,
      asks: <Trans>Reject the conclusion? You may confirm it again later; both stay in the protocol.</Trans>,
      act: judge(false),
    });
  }
  return ways;
}

function verifications({ session_id, standing }: RulingProps["of"]): Way[] {
  const path = { session_id };
  const verify = (verified: boolean) => (reason: string) =>
    api.POST("/v1/sessions/{session_id}/conclusion/verification", { params: { path }, body: { verified, reason } });
  const ways: Way[] = [];
  if (standing === "awaits_commission") {
    ways.push({
      key: "verify",
      label: <Trans>Verify</Trans>,
      asks: <Trans>Verify the confirmed conclusion? The session counts for the team's qualification then.</Trans>,
      act: verify(true),
    });
  }
  if (standing === "awaits_commission" || standing === "verified") {
    ways.push({
      key: "return",
      label: <Trans>Return to the judges</Trans>,
      asks: <Trans>Return the conclusion to the judges? It counts for nothing until it is verified again.</Trans>,
      act: verify(false),
    });
  }
  return ways;
}

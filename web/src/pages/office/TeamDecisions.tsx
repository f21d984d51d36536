import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { api, type Schemas } from "@/api/client";
import { renewed } from "@/api/queries";
import type { Cited } from "@/ui/contest";
import { Reasoned } from "@/ui/forms";
import parts from "@/ui/parts.module.css";

type Decision = Schemas["DecisionRequest"]["status"];

/** The organizers' decisions about a team, each with its reason; every one can be taken back. */
export function TeamDecisions({ team }: { team: Schemas["TeamBody"] }) {
  const { name, status, team_id } = team;
  const words: Record<Decision, { label: ReactNode; asks: ReactNode; clause?: Cited }> = {
    approved:
      status === "applied"
        ? { label: <Trans>Approve</Trans>, asks: <Trans>Approve {name}? Its members may make tokens then.</Trans> }
        : {
            label: <Trans>Approve again</Trans>,
            asks: <Trans>Take the decision about {name} back? Its programs are let in within a minute.</Trans>,
          },
    rejected: {
      label: <Trans>Reject</Trans>,
      asks: <Trans>Reject the application of {name}? It may mend it and hand it in again.</Trans>,
    },
    suspended: {
      label: <Trans>Suspend</Trans>,
      asks: <Trans>Suspend {name}? Its programs are refused within a minute, until it is approved again.</Trans>,
    },
    withdrawn: {
      label: <Trans>Withdraw</Trans>,
      asks: <Trans>Withdraw {name} from the contest? Its programs are refused within a minute.</Trans>,
    },
    disqualified: {
      label: <Trans>Disqualify</Trans>,
      asks: <Trans>Disqualify {name}? Its programs are refused within a minute.</Trans>,
      clause: "R 11.7",
    },
  };
  const decisions = Object.keys(words).filter((each) => team.may_become.includes(each as Decision)) as Decision[];
  return (
    <div className={parts.actions}>
      {decisions.map((decision, at) => (
        <Reasoned
          key={decision}
          primary={at === 0 && decision === "approved"}
          {...words[decision]}
          act={(reason) =>
            api.POST("/v1/teams/{team_id}/decision", {
              params: { path: { team_id } },
              body: { status: decision, reason },
            })
          }
          done={renewed}
        />
      ))}
    </div>
  );
}

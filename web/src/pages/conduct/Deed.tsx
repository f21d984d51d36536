import { Plural, Trans } from "@lingui/react/macro";
import { useTeamName } from "@/pages/desk/teamNames";
import type { Asked } from "./Decide";

/** What a decision's dialogue is about. */
export function Heading({ of }: { of: Asked }) {
  const { number, amendment } = of;
  const team = useTeamName()(of.team_id ?? "");
  switch (of.kind) {
    case "pause":
      return <Trans>Pause the run?</Trans>;
    case "resume":
      return <Trans>Let the run go on?</Trans>;
    case "stop":
      return <Trans>Stop the run for good?</Trans>;
    case "void":
      return <Trans>Annul files for everybody?</Trans>;
    case "replace":
      return <Trans>Replace files by reserve ones?</Trans>;
    case "rule":
      return (
        <Trans>
          Another cause for file {number} of {team}?
        </Trans>
      );
    case "admit":
      return <Trans>Admit {team} though it is late?</Trans>;
    case "undo":
      return <Trans>Take decision {amendment} back?</Trans>;
  }
}

/** The button that does it, named by all that it does. */
export function Deed({ of, teams }: { of: Asked; teams: number }) {
  const { numbers, number, amendment } = of;
  const team = useTeamName()(of.team_id ?? "");
  switch (of.kind) {
    case "pause":
      return (
        <>
          <Trans>Pause the run</Trans> <ForTeams teams={teams} />
        </>
      );
    case "resume":
      return (
        <>
          <Trans>Resume the run</Trans> <ForTeams teams={teams} />
        </>
      );
    case "stop":
      return (
        <>
          <Trans>Stop the run for good</Trans> <ForTeams teams={teams} />
        </>
      );
    case "void":
      return (
        <>
          <Trans>Annul {numbers}</Trans> <ForTeams teams={teams} />
        </>
      );
    case "replace":
      return numbers ? (
        <>
          <Trans>Replace {numbers}</Trans> <ForTeams teams={teams} />
        </>
      ) : (
        <Trans>Replace the files that everybody missed</Trans>
      );
    case "rule":
      return (
        <Trans>
          Give file {number} of {team} this cause
        </Trans>
      );
    case "admit":
      return <Trans>Admit {team} from now on</Trans>;
    case "undo":
      return <Trans>Take decision {amendment} back</Trans>;
  }
}

function ForTeams({ teams }: { teams: number }) {
  return <Plural value={teams} one="for # team" other="for all # teams" />;
}

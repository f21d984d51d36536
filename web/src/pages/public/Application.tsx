import { Trans, useLingui } from "@lingui/react/macro";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { useMe, useSession } from "@/auth/hooks";
import { useCycle, useLanguage } from "@/ui/contest";
import { Moment, useNow } from "@/ui/moments";
import { Page, Problem, Skeleton } from "@/ui/Page";
import { day } from "@/ui/time";
import { ApplicationForm } from "./ApplicationForm";
import { NewToken } from "./NewToken";
import { STAGES } from "./Stages";
import { hasNoTeam, STATUSES, type Team, useTeam } from "./team";

/** The application: a form until there is a team, then what became of it. */
export function Application() {
  const { t } = useLingui();
  return (
    <Page title={t`Application`}>
      <SelectionDays />
      <Content />
    </Page>
  );
}

/** The selection's days and rule, where applications are refused now: before somebody fills the form in. */
function SelectionDays() {
  const { i18n } = useLingui();
  const language = useLanguage();
  const now = useNow(60_000);
  const stage = useCycle()?.stages.find((each) => each.name === "selection");
  if (stage?.outside !== "refuse" || (Date.parse(stage.starts_at) <= now && now < Date.parse(stage.ends_at))) {
    return null;
  }
  return (
    <p>
      <strong>
        {i18n._(STAGES[stage.name])}: {day(stage.first, language)} – {day(stage.last, language)}.
      </strong>{" "}
      {language === "ru" ? stage.message_ru : stage.message}
    </p>
  );
}

function Content() {
  const session = useSession();
  const me = useMe();
  const { href } = useLocation();
  const team = useTeam();
  const hasEnded = session.state === "expired";
  if (session.state === "out" || (hasEnded && session.pool === "staff")) {
    return (
      <p>
        <Trans>A team is applied for by its captain, who needs an account.</Trans>{" "}
        <Link to="/signin" search={{ to: href }}>
          <Trans>Sign in or make an account</Trans>
        </Link>
      </p>
    );
  }
  if (me && !me.rights.includes("cabinet")) {
    return (
      <p>
        <Trans>Teams are applied for by participants. You are signed in with an account of the staff.</Trans>
      </p>
    );
  }
  if (team.data) return <Decided team={team.data} />;
  // What somebody has typed stays under their hands when the sign-in ends; the shell says how to go on.
  if (hasNoTeam(team) || hasEnded) return <ApplicationForm />;
  return team.error ? <Problem error={team.error} retry={() => void team.refetch()} /> : <Skeleton lines={8} />;
}

function Decided({ team }: { team: Team }) {
  const { i18n } = useLingui();
  const [token, setToken] = useState<string | null>(null);
  const { name, reason } = team;
  const status = i18n._(STATUSES[team.status]);
  return (
    <>
      <p role="status">
        <Trans>
          Team {name}: <strong>{status}</strong>
        </Trans>
        {reason && `. ${reason}`}
      </p>
      {team.application && (
        <p>
          <Trans>
            Sent <Moment at={team.application.submitted_at} />.
          </Trans>
        </p>
      )}
      {team.status === "applied" && (
        <p>
          <Trans>The organizers decide. This page changes by itself; you may close it and come back.</Trans>
        </p>
      )}
      {team.status === "approved" && (
        <>
          <NewToken token={token} onToken={setToken} />
          <p>
            <Link to="/take-part">
              <Trans>The five commands to a first report</Trans>
            </Link>
          </p>
        </>
      )}
    </>
  );
}

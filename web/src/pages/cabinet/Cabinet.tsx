import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { post } from "@/api/client";
import { useSession } from "@/auth/hooks";
import { entered, hasNoTeam, type Team, teamQuery } from "@/pages/public/team";
import { useCycle } from "@/ui/contest";
import { Tabs } from "@/ui/controls";
import { Field, Form, useAction, useDraft } from "@/ui/forms";
import { Answered, Forbidden, isForbidden, Page, Skeleton } from "@/ui/Page";
import { useUnread } from "@/ui/questions";

/** Frame of every cabinet page: its tabs, or a way in for people without a team or not signed in. */
export function Cabinet({ title, children }: { title: string; children: (team: Team) => ReactNode }) {
  const session = useSession();
  const team = useQuery({ ...teamQuery, enabled: session.state === "in" });
  // A person without the right to a cabinet is refused by the platform; the refusal fills the whole page.
  if (session.state === "in" && isForbidden(team.error) && !team.data) return <Forbidden error={team.error} />;
  return (
    <Page title={title}>
      <Inside>{children}</Inside>
    </Page>
  );
}

function Inside({ children }: { children: (team: Team) => ReactNode }) {
  const session = useSession();
  const { href } = useLocation();
  if (session.state === "coming") return <Skeleton lines={6} />;
  if (session.state !== "in") {
    return (
      <p>
        <Trans>
          The cabinet shows your team's own data.{" "}
          <Link to="/signin" search={{ to: href }}>
            Sign in
          </Link>{" "}
          to see it.
        </Trans>
      </p>
    );
  }
  return <OfTeam>{children}</OfTeam>;
}

function OfTeam({ children }: { children: (team: Team) => ReactNode }) {
  const team = useQuery(teamQuery);
  if (hasNoTeam(team)) {
    return (
      <>
        <p>
          <Trans>
            You belong to no team yet. <Link to="/application">Apply with a team</Link>, or enter one by a captain's
            invitation.
          </Trans>
        </p>
        <Accept />
      </>
    );
  }
  return (
    <>
      <CabinetTabs />
      <Answered of={team}>{(data) => data && children(data)}</Answered>
    </>
  );
}

function CabinetTabs() {
  const { t } = useLingui();
  const unread = useUnread();
  const takesSubmissions = (useCycle()?.submissions.length ?? 0) > 0;
  return (
    <Tabs
      label={t`Cabinet`}
      of={[
        ["/cabinet", t`Overview`],
        ["/cabinet/sessions", t`Sessions`],
        ...(takesSubmissions ? [["/cabinet/submissions", t`Submissions`] as const] : []),
        ["/cabinet/questions", t`Questions` + (unread ? ` (${unread})` : "")],
        ["/cabinet/tokens", t`Tokens`],
        ["/cabinet/team", t`Team`],
        ["/cabinet/mails", t`Mails`],
        ["/cabinet/sets", t`Data sets`],
      ]}
    />
  );
}

/** Form to enter a team with a captain's code, for a person without a team. */
function Accept() {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ code: "", person_name: "", contact: "" });
  const accepting = useAction(() => post("/v1/invitations/accept", {}, draft), entered);
  return (
    <Form of={accepting} primary send={t`Enter the team`}>
      <h2>{t`Enter a team by invitation`}</h2>
      <Field label={t`The captain's code`} required maxLength={200} autoComplete="off" {...bind("code")} />
      <Field label={t`Your name`} required maxLength={200} autoComplete="name" {...bind("person_name")} />
      <Field label={t`Your e-mail`} required type="email" maxLength={250} autoComplete="email" {...bind("contact")} />
    </Form>
  );
}

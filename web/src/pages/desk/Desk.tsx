import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Link, type LinkProps, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { roleName, useMe, useSession } from "@/auth/hooks";
import { useCycle } from "@/ui/contest";
import { useChords, useKeyHelp } from "@/ui/keys";
import { Page, Skeleton } from "@/ui/Page";
import styles from "./desk.module.css";

/** The rooms of the desk that who is signed in may enter; undefined until that is known. */
function useEntries(): readonly Entry[] | undefined {
  const rights = useMe()?.rights;
  const takesSubmissions = (useCycle()?.submissions.length ?? 0) > 0;
  return rights && ENTRIES.filter((each) => rights.includes(each.right) && (takesSubmissions || !each.ofSubmissions));
}

/** The desk of judges, commission and organizers: its rooms' links around the room that is open. */
export function Desk() {
  const session = useSession();
  if (session.state === "coming") return <Skeleton lines={8} />;
  return session.state === "in" ? <Rooms /> : <SignedOut />;
}

function Rooms() {
  const { i18n, t } = useLingui();
  const navigate = useNavigate();
  const entries = useEntries() ?? [];
  useChords(entries, ({ to }) => void navigate({ to }));
  useKeyHelp(
    entries.map(({ key, label }) => ({ keys: `g ${key.replace("Key", "").toLowerCase()}`, does: i18n._(label) })),
  );
  return (
    <>
      {entries.length > 0 && (
        <nav aria-label={t`Desk`} className={styles.rooms}>
          <ul>
            {entries.map(({ to, label }) => (
              <li key={to}>
                <Link to={to}>{i18n._(label)}</Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <Outlet />
    </>
  );
}

function SignedOut() {
  const { t } = useLingui();
  const { href } = useLocation();
  return (
    <Page title={t`Desk`}>
      <p>
        <Trans>
          The desk is for judges, the technical commission and organizers.{" "}
          <Link to="/signin" search={{ to: href }}>
            Sign in
          </Link>{" "}
          to work at it.
        </Trans>
      </p>
    </Page>
  );
}

/** What one's rights open at the desk. */
export function DeskHome() {
  const { i18n, t } = useLingui();
  const entries = useEntries();
  const me = useMe();
  const role = me && i18n._(roleName(me.role));
  return (
    <Page title={t`Desk`}>
      {!entries && <Skeleton lines={6} />}
      {entries?.length === 0 && (
        <p>
          <Trans>
            You are signed in as: {role}. The desk is for judges, the technical commission and organizers; the
            organizers give these roles.
          </Trans>
        </p>
      )}
      {entries && entries.length > 0 && (
        <dl className={styles.places}>
          {entries.map(({ to, label, about }) => (
            <div key={to}>
              <dt>
                <Link to={to}>{i18n._(label)}</Link>
              </dt>
              <dd>{i18n._(about)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Page>
  );
}

/** A room of the desk. */
export interface Entry {
  to: NonNullable<LinkProps["to"]>;
  label: MessageDescriptor;
  /** What one asks there, in a sentence. */
  about: MessageDescriptor;
  /** One of `/v1/me`'s rights: who has it not is shown no link (and refused by the platform). */
  right: string;
  /** After `g`, the letter (by its place on the keyboard) that goes there; none of the navigation's. */
  key: string;
  /** Only where the contest takes submissions. */
  ofSubmissions?: true;
}

/**
 * The desk's rooms, in their order.
 *
 * Clause: R 2.18, platform §8 organizers
 */
export const ENTRIES: readonly Entry[] = [
  {
    to: "/desk/runs",
    label: msg`Runs`,
    about: msg`Plan runs, watch them, pause and decide.`,
    right: "inspect_submissions",
    key: "KeyN",
  },
  {
    to: "/desk/settlement",
    label: msg`Settlement`,
    about: msg`Steps left before a final is published; boards, rescorings, annulments.`,
    right: "inspect_submissions",
    key: "KeyS",
  },
  {
    to: "/desk/conclusions",
    label: msg`Conclusions`,
    about: msg`Waiting conclusions: judges confirm, the commission verifies, organizers admit.`,
    right: "read_reports",
    key: "KeyJ",
  },
  {
    to: "/desk/protocols",
    label: msg`Protocols`,
    about: msg`Findings of judges and commission on a run's results or a mass failure.`,
    right: "read_reports",
    key: "KeyX",
  },
  {
    to: "/desk/submissions",
    label: msg`Files of runs`,
    about: msg`Every file of every team of a run with its cause, and the commission's record.`,
    right: "inspect_submissions",
    key: "KeyF",
  },
  {
    to: "/desk/submitted",
    label: msg`Submissions`,
    about: msg`Submissions of all teams: state, cause of a failure, log, report, reruns; the private test.`,
    right: "inspect_submissions",
    key: "KeyP",
    ofSubmissions: true,
  },
  {
    to: "/desk/experts",
    label: msg`Experts`,
    about: msg`Experts' work: progress, late work, agreement, drift; distribution of texts.`,
    right: "watch_assignments",
    key: "KeyE",
  },
  {
    to: "/desk/teams",
    label: msg`Teams`,
    about: msg`Applications and decisions; members, invitations and tokens.`,
    right: "organize",
    key: "KeyO",
  },
  {
    to: "/desk/sets",
    label: msg`Data sets`,
    about: msg`Import sets with every fault at once; publish them.`,
    right: "organize",
    key: "KeyI",
  },
  {
    to: "/desk/staff",
    label: msg`Staff`,
    about: msg`Experts, judges, commission, organizers: invite, change roles, dismiss.`,
    right: "inspect_submissions",
    key: "KeyW",
  },
  {
    to: "/desk/parameters",
    label: msg`Parameters`,
    about: msg`Versions, what each changes, and the next one with its notice.`,
    right: "organize",
    key: "KeyH",
  },
  {
    to: "/desk/announcing",
    label: msg`Announcements`,
    about: msg`Drafts, publication, corrections and withdrawals.`,
    right: "organize",
    key: "KeyY",
  },
  {
    to: "/desk/questions",
    label: msg`Questions`,
    about: msg`Questions of the teams: answer one team, or everybody.`,
    right: "answer",
    key: "KeyG",
  },
  {
    to: "/desk/check",
    label: msg`Check`,
    about: msg`Check of the cycle before a final; the cycle's file.`,
    right: "organize",
    key: "KeyK",
  },
  {
    to: "/desk/audit",
    label: msg`Audit log`,
    about: msg`Changes made by people, with each field before and after.`,
    right: "organize",
    key: "KeyL",
  },
  {
    to: "/desk/operations",
    label: msg`Operations`,
    about: msg`Stuck work, and jobs that failed for good.`,
    right: "inspect_submissions",
    key: "KeyZ",
  },
  {
    to: "/desk/cost",
    label: msg`Cost`,
    about: msg`Estimated cost of the cycle's finals and days, by part.`,
    right: "organize",
    key: "KeyQ",
  },
];

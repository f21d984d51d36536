import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Link, type LinkProps, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { roleName, useMe, useSession } from "@/auth/hooks";
import { useCycle } from "@/ui/contest";
import { useMedia } from "@/ui/controls";
import { useChords, useKeyHelp } from "@/ui/keys";
import { Page, Skeleton } from "@/ui/Page";
import styles from "./desk.module.css";
import { Count, Waits } from "./Waits";

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
  const wide = useMedia("(min-width: 64rem)");
  useChords(entries, ({ to }) => void navigate({ to }));
  useKeyHelp(
    entries.map(({ key, label }) => ({
      keys: `g ${key.replace(/^(Key|Digit)/, "").toLowerCase()}`,
      does: i18n._(label),
    })),
  );
  if (entries.length === 0) return <Outlet />;
  const links = (
    <nav aria-label={t`Desk`} className={styles.rooms}>
      <Link to="/desk" activeOptions={{ exact: true }}>
        {t`What waits`}
      </Link>
      {groupsOf(entries).map(({ group, rooms }) => (
        <div key={group}>
          <p id={`rooms-${group}`}>{i18n._(GROUPS[group])}</p>
          <ul aria-labelledby={`rooms-${group}`}>
            {rooms.map(({ to, label }) => (
              <li key={to}>
                <Link to={to}>{i18n._(label)}</Link> <Count of={to} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
  return (
    <div className={styles.desk}>
      {wide ? links : <FoldedRooms>{links}</FoldedRooms>}
      <div>
        <Outlet />
      </div>
    </div>
  );
}

/** The rooms of a narrow window; going to one folds them. */
function FoldedRooms({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  const { pathname } = useLocation();
  return (
    <details key={pathname} className={styles.folded}>
      <summary>{t`Rooms of the desk`}</summary>
      {children}
    </details>
  );
}

function groupsOf(entries: readonly Entry[]): { group: Group; rooms: Entry[] }[] {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return groups.map((group) => ({ group, rooms: entries.filter((entry) => entry.group === group) }));
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

/** What waits, and what one's rights open at the desk. */
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
        <>
          <Waits />
          <details className={styles.about}>
            <summary>{t`What each room is for`}</summary>
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
          </details>
        </>
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
  /** After `g`, the letter or digit (by its place on the keyboard) that goes there; none of the navigation's. */
  key: string;
  /** Only where the contest takes submissions. */
  ofSubmissions?: true;
  group: Group;
}

type Group = "contest" | "teams" | "cycle" | "platform";

const GROUPS: Readonly<Record<Group, MessageDescriptor>> = {
  contest: msg`Runs and results`,
  teams: msg`Teams and people`,
  cycle: msg`Cycle`,
  platform: msg`Platform`,
};

/**
 * The desk's rooms, in their order.
 *
 * Clause: R 2.18, platform §8 organizers
 */
export const ENTRIES: readonly Entry[] = [
  {
    to: "/desk/runs",
    group: "contest",
    label: msg`Runs`,
    about: msg`Plan runs, watch them, pause and decide.`,
    right: "inspect_submissions",
    key: "KeyN",
  },
  {
    to: "/desk/settlement",
    group: "contest",
    label: msg`Settlement`,
    about: msg`Steps left before a final is published; boards, rescorings, annulments.`,
    right: "inspect_submissions",
    key: "KeyS",
  },
  {
    to: "/desk/protocols",
    group: "contest",
    label: msg`Protocols`,
    about: msg`Findings of judges and commission on a run's results or a mass failure.`,
    right: "read_reports",
    key: "KeyX",
  },
  {
    to: "/desk/submissions",
    group: "contest",
    label: msg`Files of runs`,
    about: msg`Every file of every team of a run with its cause, and the commission's record.`,
    right: "inspect_submissions",
    key: "KeyF",
  },
  {
    to: "/desk/submitted",
    group: "contest",
    label: msg`Submissions`,
    about: msg`Submissions of all teams: state, cause of a failure, log, report, reruns; the private test.`,
    right: "inspect_submissions",
    key: "KeyP",
    ofSubmissions: true,
  },
  {
    to: "/desk/conclusions",
    group: "teams",
    label: msg`Conclusions`,
    about: msg`Waiting conclusions: judges confirm, the commission verifies, organizers admit.`,
    right: "read_reports",
    key: "KeyJ",
  },
  {
    to: "/desk/experts",
    group: "teams",
    label: msg`Experts`,
    about: msg`Experts' work: progress, late work, agreement, drift; distribution of texts.`,
    right: "watch_assignments",
    key: "KeyE",
  },
  {
    to: "/desk/teams",
    group: "teams",
    label: msg`Teams`,
    about: msg`Applications and decisions; members, invitations and tokens.`,
    right: "organize",
    key: "KeyO",
  },
  {
    to: "/desk/staff",
    group: "teams",
    label: msg`Staff`,
    about: msg`Experts, judges, commission, organizers: invite, change roles, dismiss.`,
    right: "inspect_submissions",
    key: "KeyW",
  },
  {
    to: "/desk/cycle",
    group: "cycle",
    label: msg`Create a cycle`,
    about: msg`Load a cycle from its folder, its file or a form: all of it or nothing.`,
    right: "organize",
    key: "Digit2",
  },
  {
    to: "/desk/sets",
    group: "cycle",
    label: msg`Data sets`,
    about: msg`Import sets with every fault at once; publish them.`,
    right: "organize",
    key: "KeyI",
  },
  {
    to: "/desk/parameters",
    group: "cycle",
    label: msg`Parameters`,
    about: msg`Versions, what each changes, and the next one with its notice.`,
    right: "organize",
    key: "KeyH",
  },
  {
    to: "/desk/announcing",
    group: "cycle",
    label: msg`Announcements`,
    about: msg`Drafts, publication, corrections and withdrawals.`,
    right: "organize",
    key: "KeyY",
  },
  {
    to: "/desk/questions",
    group: "contest",
    label: msg`Questions`,
    about: msg`Questions of the teams: answer one team, or everybody.`,
    right: "answer",
    key: "Digit1",
  },
  {
    to: "/desk/check",
    group: "cycle",
    label: msg`Check`,
    about: msg`Check of the cycle before a final; the cycle's file.`,
    right: "organize",
    key: "KeyK",
  },
  {
    to: "/desk/hooks",
    group: "platform",
    label: msg`Webhooks`,
    about: msg`Addresses that are told of applications, questions, results: add, test, remove; their last requests.`,
    right: "hook",
    key: "Digit3",
  },
  {
    to: "/desk/audit",
    group: "platform",
    label: msg`Audit log`,
    about: msg`Changes made by people, with each field before and after.`,
    right: "organize",
    key: "KeyL",
  },
  {
    to: "/desk/operations",
    group: "platform",
    label: msg`Operations`,
    about: msg`Stuck work, and jobs that failed for good.`,
    right: "inspect_submissions",
    key: "KeyZ",
  },
  {
    to: "/desk/cost",
    group: "platform",
    label: msg`Cost`,
    about: msg`Estimated cost of the cycle's finals and days, by part.`,
    right: "organize",
    key: "KeyQ",
  },
];

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

/** Return the desk's rooms that the signed-in user may enter; undefined until the rights are known. */
function useEntries(): readonly Room[] | undefined {
  const rights = useMe()?.rights;
  const rooms: readonly Room[] = ENTRIES;
  const takesSubmissions = (useCycle()?.submissions.length ?? 0) > 0;
  return rights && rooms.filter((room) => rights.includes(room.right) && (takesSubmissions || !room.ofSubmissions));
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

/** Show the rooms in a narrow window; opening one folds the list. */
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

function groupsOf(entries: readonly Room[]): { group: Group; rooms: Room[] }[] {
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

/** Show the waiting work and the rooms that the user's rights open at the desk. */
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
              {entries.map(({ to, label }) => (
                <div key={to}>
                  <dt>
                    <Link to={to}>{i18n._(label)}</Link>
                  </dt>
                  <dd>{i18n._(ABOUT[to])}</dd>
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
interface Entry {
  to: NonNullable<LinkProps["to"]>;
  label: MessageDescriptor;
  /** Right in `/v1/me`; a user without it is shown no link (and is refused by the platform). */
  right: string;
  /** Letter or digit (by its place on the keyboard) that opens the room after `g`; none of the navigation's. */
  key: string;
  /** True if the room is shown only where the contest takes submissions. */
  ofSubmissions?: true;
  group: Group;
}

type Room = Entry & { to: keyof typeof ABOUT };
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
export const ENTRIES = [
  { group: "contest", to: "/desk/runs", label: msg`Runs`, right: "inspect_submissions", key: "KeyN" },
  { group: "contest", to: "/desk/settlement", label: msg`Settlement`, right: "inspect_submissions", key: "KeyS" },
  { group: "contest", to: "/desk/protocols", label: msg`Protocols`, right: "read_reports", key: "KeyX" },
  { group: "contest", to: "/desk/submissions", label: msg`Files of runs`, right: "inspect_submissions", key: "KeyF" },
  {
    group: "contest",
    to: "/desk/submitted",
    label: msg`Submissions`,
    right: "inspect_submissions",
    key: "KeyP",
    ofSubmissions: true,
  },
  { group: "teams", to: "/desk/conclusions", label: msg`Conclusions`, right: "read_reports", key: "KeyJ" },
  { group: "teams", to: "/desk/experts", label: msg`Experts`, right: "watch_assignments", key: "KeyE" },
  { group: "teams", to: "/desk/teams", label: msg`Teams`, right: "organize", key: "KeyO" },
  { group: "teams", to: "/desk/staff", label: msg`Staff`, right: "inspect_submissions", key: "KeyW" },
  { group: "cycle", to: "/desk/cycle", label: msg`Create a cycle`, right: "organize", key: "Digit2" },
  { group: "cycle", to: "/desk/sets", label: msg`Data sets`, right: "organize", key: "KeyI" },
  { group: "cycle", to: "/desk/parameters", label: msg`Parameters`, right: "organize", key: "KeyH" },
  { group: "cycle", to: "/desk/announcing", label: msg`Announcements`, right: "organize", key: "KeyY" },
  { group: "contest", to: "/desk/questions", label: msg`Questions`, right: "answer", key: "Digit1" },
  { group: "cycle", to: "/desk/check", label: msg`Check`, right: "organize", key: "KeyK" },
  { group: "platform", to: "/desk/hooks", label: msg`Webhooks`, right: "hook", key: "Digit3" },
  { group: "platform", to: "/desk/audit", label: msg`Audit log`, right: "organize", key: "KeyL" },
  { group: "platform", to: "/desk/operations", label: msg`Operations`, right: "inspect_submissions", key: "KeyZ" },
  { group: "platform", to: "/desk/cost", label: msg`Cost`, right: "organize", key: "KeyQ" },
] as const satisfies readonly Entry[];

/** Sentence for each room: the work done there. */
const ABOUT: Readonly<Record<(typeof ENTRIES)[number]["to"], MessageDescriptor>> = {
  "/desk/runs": msg`Plan runs, watch them, pause and decide.`,
  "/desk/settlement": msg`Steps left before a final is published; boards, rescorings, annulments.`,
  "/desk/protocols": msg`Findings of judges and commission on a run's results or a mass failure.`,
  "/desk/submissions": msg`Every file of every team of a run with its cause, and the commission's record.`,
  "/desk/submitted": msg`Submissions of all teams: state, cause of a failure, log, report, reruns; the private test.`,
  "/desk/conclusions": msg`Waiting conclusions: judges confirm, the commission verifies, organizers admit.`,
  "/desk/experts": msg`Experts' work: progress, late work, agreement, drift; distribution of texts.`,
  "/desk/teams": msg`Applications and decisions; members, invitations and tokens.`,
  "/desk/staff": msg`Experts, judges, commission, organizers: invite, change roles, dismiss.`,
  "/desk/cycle": msg`Load a cycle from its folder, its file or a form: all of it or nothing.`,
  "/desk/sets": msg`Import sets with every fault at once; publish them.`,
  "/desk/parameters": msg`Versions, what each changes, and the next one with its notice.`,
  "/desk/announcing": msg`Drafts, publication, corrections and withdrawals.`,
  "/desk/questions": msg`Questions of the teams: answer one team, or everybody.`,
  "/desk/check": msg`Check of the cycle before a final; the cycle's file.`,
  "/desk/hooks": msg`Addresses that are told of applications, questions, results: add, test, remove; their last requests.`,
  "/desk/audit": msg`Changes made by people, with each field before and after.`,
  "/desk/operations": msg`Stuck work, and jobs that failed for good.`,
  "/desk/cost": msg`Estimated cost of the cycle's finals and days, by part.`,
};

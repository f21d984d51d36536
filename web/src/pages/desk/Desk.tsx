import { Trans, useLingui } from "@lingui/react/macro";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useMe, useSession } from "@/auth/hooks";
import { useCycle } from "@/ui/contest";
import { useChords, useKeyHelp } from "@/ui/keys";
import { Page, Skeleton } from "@/ui/Page";
import styles from "./desk.module.css";
import { ENTRIES, type Entry } from "./entries";

/** The rooms of the desk that who is signed in may enter; undefined until that is known. */
export function useEntries(): readonly Entry[] | undefined {
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

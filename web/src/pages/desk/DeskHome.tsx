import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { useMe } from "@/auth/hooks";
import { roleName } from "@/auth/roles";
import { Page, Skeleton } from "@/ui/Page";
import { useEntries } from "./Desk";
import styles from "./desk.module.css";

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

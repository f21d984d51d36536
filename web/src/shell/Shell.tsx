import { Trans, useLingui } from "@lingui/react/macro";
import { Link, Outlet } from "@tanstack/react-router";
import { useMe } from "@/auth/hooks";
import { inLanguage, useCycle, useCycleZone, useLanguage } from "@/ui/contest";
import { useNow } from "@/ui/moments";
import { clock } from "@/ui/time";
import { Account } from "./Account";
import { Expired } from "./Expired";
import { Keys } from "./Keys";
import { useLabel } from "./label";
import { NAV } from "./nav";
import { Offline } from "./Offline";
import { Preferences } from "./Preferences";
import styles from "./shell.module.css";

/** What stands around every page. */
export function Shell() {
  const { t } = useLingui();
  const cycle = useCycle();
  const language = useLanguage();
  return (
    <>
      <a className={styles.skip} href="#content">
        <Trans>Skip to the content</Trans>
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.name}>
          <img src="/hurdle.svg" alt="" width="24" height="24" />
          {cycle ? inLanguage(cycle.name, language) : "Hurdle"}
        </Link>
        <nav aria-label={t`Main`} className={styles.nav}>
          <Navigation />
        </nav>
        <div className={styles.tools}>
          <CycleClock />
          <Account />
          <Preferences />
        </div>
      </header>
      <Offline />
      <Expired />
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <footer className={styles.footer}>
        <p>
          <Trans>
            Hurdle is free software under the Apache License 2.0. Every number of this site is the platform's; the page
            computes none.
          </Trans>
        </p>
        <Keys />
      </footer>
    </>
  );
}

function Navigation() {
  const { t } = useLingui();
  const labelOf = useLabel();
  const rights = useMe()?.rights ?? [];
  return (
    <ul>
      {NAV.filter((item) => !item.right || rights.includes(item.right)).map((item) => (
        <li key={item.to}>
          <Link to={item.to}>{labelOf(item)}</Link>
        </li>
      ))}
      <li>
        <a href="/docs">{t`API`}</a>
      </li>
    </ul>
  );
}

function CycleClock() {
  const zone = useCycleZone();
  const language = useLanguage();
  const shown = clock(useNow(), language, zone);
  return (
    <span className={styles.clock}>
      <span className="sr-only">
        <Trans>The contest's clock:</Trans>{" "}
      </span>
      <span role="timer" aria-live="off">
        {shown}
      </span>
    </span>
  );
}

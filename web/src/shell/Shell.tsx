import { Trans, useLingui } from "@lingui/react/macro";
import { createRootRoute, Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { listening } from "@/api/listening";
import { roleName, useMe, useSession } from "@/auth/hooks";
import { end, onSignIn } from "@/auth/session";
import { chooseLanguage, LANGUAGES } from "@/i18n/i18n";
import { inLanguage, useCalled, useCycle, useCycleZone, useLanguage } from "@/ui/contest";
import { Button, useMedia, useOnline } from "@/ui/controls";
import { Check, Choice, Confirmed } from "@/ui/forms";
import {
  type KeyHelp,
  lettersAreKeys,
  makeLettersKeys,
  useChords,
  useIsUnsaved,
  useLetters,
  usePageKeys,
} from "@/ui/keys";
import { useNow } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { useUnread } from "@/ui/questions";
import { Table } from "@/ui/Table";
import { clock } from "@/ui/time";
import { NAV, type NavItem } from "./nav";
import styles from "./shell.module.css";

/** Parent route of all others. */
export const rootRoute = createRootRoute({ component: Shell });

function Shell() {
  const { t } = useLingui();
  const cycle = useCycle();
  const language = useLanguage();
  const narrow = useMedia(NARROW);
  const { pathname } = useLocation();
  return (
    <>
      <a className={styles.skip} href="#content">
        {t`Skip to the content`}
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.name}>
          <img src="/hurdle.svg" alt="" width="24" height="24" />
          <span>{cycle ? inLanguage(cycle.name, language) : "Hurdle"}</span>
        </Link>
        {!narrow && <Navigation />}
        <SignIn />
        <Menu>
          {narrow && <Navigation />}
          <CycleClock />
          <Preferences />
          <SignOut />
        </Menu>
      </header>
      <Offline />
      <Expired />
      <main id="content" className={styles.main} data-wide={WIDE.test(pathname) || undefined} tabIndex={-1}>
        <Outlet />
      </main>
      <footer className={styles.footer}>
        <p>
          <Trans>
            Hurdle is free software under the Apache License 2.0. Every number on this site comes from the platform; the
            page computes none.
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
  const unread = useUnread();
  return (
    <nav aria-label={t`Main`} className={styles.nav}>
      <ul>
        {NAV.filter((item) => !item.right || rights.includes(item.right)).map((item) => (
          <li key={item.to}>
            <Link to={item.to}>
              {labelOf(item)}
              {item.to === "/cabinet" && unread ? ` (${unread})` : ""}
            </Link>
          </li>
        ))}
        <li>
          <a href="/docs">{t`API`}</a>
        </li>
      </ul>
    </nav>
  );
}

/** Menu of rarely used links; on a narrow screen the navigation too. Esc, a press elsewhere and navigation close it. */
function Menu({ children }: { children: ReactNode }) {
  const { i18n } = useLingui();
  const me = useMe();
  const menu = useRef<HTMLDetailsElement>(null);
  const { pathname } = useLocation();
  const close = useCallback(() => {
    if (menu.current) menu.current.open = false;
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(close, [pathname]);
  useEffect(() => {
    const pressed = ({ target }: PointerEvent) => {
      if (target instanceof Node && !menu.current?.contains(target)) close();
    };
    document.addEventListener("pointerdown", pressed);
    return () => document.removeEventListener("pointerdown", pressed);
  }, [close]);
  return (
    <details
      ref={menu}
      className={styles.menu}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
        close();
        menu.current?.querySelector("summary")?.focus();
      }}
    >
      <summary>
        <span aria-hidden="true">☰</span> {me ? i18n._(roleName(me.role)) : <Trans>Menu</Trans>}
      </summary>
      <div>{children}</div>
    </details>
  );
}

/** Addresses of pages with several columns, whose width is known before the pages load. */
const WIDE = /^\/(assignments\/|round|desk|sessions\/[^/]+\/files\/[^/]+\/comparison)/;

/** Media query of windows in which the navigation has no room beside the name. */
const NARROW = "(max-width: 60rem)";

function CycleClock() {
  const zone = useCycleZone();
  const language = useLanguage();
  const time = clock(useNow(), language, zone);
  return (
    <span className={styles.clock}>
      <span>
        <Trans>The contest's clock:</Trans>{" "}
      </span>
      <span role="timer" aria-live="off">
        {time}
      </span>
    </span>
  );
}

/** Sign-out button; if there are unsent changes, it asks first. */
function SignOut() {
  const { t } = useLingui();
  const session = useSession();
  const unsaved = useIsUnsaved();
  if (session.state !== "in") return null;
  return unsaved ? (
    <Confirmed
      label={t`Sign out`}
      asks={t`The platform does not have your last changes yet; they are stored only in this browser. Sign out anyway?`}
      act={signOut}
      done={() => undefined}
    />
  ) : (
    <Button onPress={() => void signOut()}>{t`Sign out`}</Button>
  );
}

/** Sign-in link, which returns to this page. */
function SignIn() {
  const session = useSession();
  const { href } = useLocation();
  if (session.state === "in" || session.state === "coming") return null;
  return (
    <Link to="/signin" className={styles.signIn} search={{ to: href.startsWith("/signin") ? "/" : href }}>
      {session.state === "expired" ? <Trans>Sign in again</Trans> : <Trans>Sign in</Trans>}
    </Link>
  );
}

async function signOut(): Promise<void> {
  const pool = await end();
  location.assign(pool ?? "/");
}

/** Message about a sign-in that ended during work: open pages stay, and another window signs in for this one. */
function Expired() {
  const session = useSession();
  const isExpired = session.state === "expired";
  const [name] = useState(() => crypto.randomUUID());
  useEffect(() => (isExpired ? onSignIn(name) : undefined), [isExpired, name]);
  if (!isExpired) return null;
  return (
    <div role="alert" className={styles.expired}>
      <Trans>Your sign-in has ended. Your text stays here; sign in to send it.</Trans>{" "}
      <Button primary onPress={() => window.open(`/signin?to=/signin/done/${name}`, "_blank", "noopener")}>
        <Trans>Sign in in a new window</Trans>
      </Button>
    </div>
  );
}

/** Keys of the site: `?` explains them, `g` and a letter open a page, `/` focuses the page's filter. */
function Keys() {
  const { t } = useLingui();
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(lettersAreKeys);
  const navigate = useNavigate();
  const rights = useMe()?.rights;
  const places = NAV.filter((item) => !item.right || rights?.includes(item.right));
  useChords(places, ({ to }) => void navigate({ to }));
  useLetters(({ key }) => {
    const filter = key === "/" ? document.querySelector<HTMLElement>("[data-filter]") : null;
    if (key === "?") dialog.current?.showModal();
    filter?.focus();
    return filter !== null;
  });
  const toggle = (enabled: boolean) => {
    makeLettersKeys(enabled);
    setOn(enabled);
  };
  return (
    <>
      <Button onPress={() => dialog.current?.showModal()}>{t`Keys`}</Button>
      <dialog ref={dialog} className={parts.dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">{t`Keys`}</h2>
        <KeyTable places={places} />
        <p>
          <Check label={t`Single letters are keys (outside of fields)`} value={on} change={toggle} />
        </p>
        <p>
          <Button onPress={() => dialog.current?.close()}>{t`Close`}</Button>
        </p>
      </dialog>
    </>
  );
}

function KeyTable({ places }: { places: readonly NavItem[] }) {
  const { t } = useLingui();
  const labelOf = useLabel();
  const own = usePageKeys();
  const everywhere: KeyHelp[] = [
    { keys: "?", does: t`This list` },
    ...places.map((item) => ({ keys: `g ${item.key.replace("Key", "").toLowerCase()}`, does: labelOf(item) })),
    { keys: "/", does: t`To this page's filter` },
    { keys: "Esc", does: t`Closes what opened last` },
  ];
  return (
    <Table
      rows={[...own, ...everywhere]}
      rowKey={({ keys, does }) => keys + does}
      columns={[{ cell: ({ keys }) => <kbd>{keys}</kbd> }, { cell: ({ does }) => does }]}
    />
  );
}

/** Message that this device has no network; the displayed data stays. */
function Offline() {
  const online = useOnline();
  return (
    <div role="status" className={online ? undefined : styles.offline}>
      {!online && <Trans>No connection. The page shows the last data and updates when the connection is back.</Trans>}
    </div>
  );
}

const NAMES = { en: "English", ru: "Русский" } as const;

/** Choice of language and colours, the two settings that this device remembers. */
function Preferences() {
  const { t } = useLingui();
  const language = useLanguage();
  const theme = useSyncExternalStore(themes.on, chosenTheme);
  const names: Record<Theme, string> = { system: t`As the device`, light: t`Light`, dark: t`Dark` };
  return (
    <>
      <label>
        <span>{t`Language`}</span>
        <select
          value={language}
          onChange={(event) => void chooseLanguage(event.currentTarget.value === "ru" ? "ru" : "en")}
        >
          {LANGUAGES.map((language) => (
            <option key={language} value={language} lang={language}>
              {NAMES[language]}
            </option>
          ))}
        </select>
      </label>
      <Choice label={<span>{t`Colours`}</span>} look={null} value={theme} change={chooseTheme} options={names} />
    </>
  );
}

type Theme = "system" | "light" | "dark";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

const KEY = "hurdle.theme";
const themes = listening();

function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme();
  themes.tell();
}

/** Return a function that labels navigation entries, with the contest's own word for its items. */
function useLabel(): (item: NavItem) => string {
  const { i18n } = useLingui();
  const { many } = useCalled();
  return ({ label }) => i18n._(label.id, { items: many });
}

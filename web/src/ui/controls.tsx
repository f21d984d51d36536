import { Trans, useLingui } from "@lingui/react/macro";
import { Link, type LinkProps } from "@tanstack/react-router";
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { type ButtonProps, Button as Pressable } from "react-aria-components/Button";
import parts from "./parts.module.css";
import sheetStyles from "./sheet.module.css";
import styles from "./ui.module.css";

/** Button; `primary` marks a page's main action. */
export function Button({ primary = false, ...rest }: Omit<ButtonProps, "className"> & { primary?: boolean }) {
  return <Pressable {...rest} className={primary ? `${styles.button} ${styles.primary}` : `${styles.button}`} />;
}

/** Button that copies a text and announces it. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useLingui();
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return (
    <>
      <Button aria-label={t`Copy ${what}`} onPress={() => void copy()}>
        {copied === text ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
      </Button>
      <span className="sr-only" role="status">
        {copied === text ? t`Copied: ${what}` : ""}
      </span>
    </>
  );
}

interface ShownOnceProps {
  /** Notice that the secret is shown only this once, and what to do with it. */
  says: ReactNode;
  secret: string;
  what: string;
  /** Forgets the secret; undefined if only the end of the page does. */
  forget?: () => void;
}

/** Secret that nobody can show again. It lives in the page's memory alone. */
export function ShownOnce({ says, secret, what, forget }: ShownOnceProps) {
  const { t } = useLingui();
  return (
    <div className={parts.once} role="status">
      <p>
        <strong>{says}</strong>
      </p>
      <pre>{secret}</pre>
      <div className={parts.actions}>
        <CopyButton text={secret} what={what} />
        {forget && <Button onPress={forget}>{t`I have it`}</Button>}
      </div>
    </div>
  );
}

interface TabsProps {
  label: string;
  /** Names in the addresses of all pages. */
  params?: Readonly<Record<string, string>>;
  /** Address and name of each page; a page with others below its address is marked open at its own address only. */
  of: readonly (readonly [to: NonNullable<LinkProps["to"]>, name: ReactNode])[];
}

/** Links to the pages of one subject. */
export function Tabs({ label, params = {}, of }: TabsProps) {
  const isAbove = (to: string) => of.some(([other]) => other.startsWith(`${to}/`));
  return (
    <nav aria-label={label} className={parts.tabs}>
      <ul>
        {of.map(([to, name]) => (
          <li key={to}>
            <Link to={to} params={params} activeOptions={{ exact: isAbove(to), includeSearch: false }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface PageLinkProps {
  to: NonNullable<LinkProps["to"]>;
  /** Fills the one name in the address, as `$runId`. */
  id: string;
  children: ReactNode;
}

/** Link to the page of one thing. */
export function PageLink({ to, id, children }: PageLinkProps) {
  const name = /\$(\w+)/.exec(to)?.[1] ?? "";
  return (
    <Link to={to} params={{ [name]: id }}>
      {children}
    </Link>
  );
}

interface SheetProps {
  /** Id of the heading inside. */
  labelledBy: string;
  /** Closes the sheet; the focus must go to something that stays. */
  close: () => void;
  className?: string | undefined;
  /** Name of the sheet's zone in the annotator. */
  zone?: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

/**
 * Details of one thing in a text: a part of the page if there is room; on a phone the sheet lies over the page's lower
 * part, so that the thing and its details are seen together. Not modal: the text above it stays in reach.
 */
export function Sheet({ labelledBy, close, className, zone, ref, children }: SheetProps) {
  const { t } = useLingui();
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-labelledby={labelledBy}
      data-zone={zone}
      data-sheet
      className={`${sheetStyles.sheet} ${className ?? ""}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isPhone()) return;
        event.stopPropagation();
        close();
      }}
    >
      <button type="button" className={sheetStyles.close} aria-label={t`Close the details`} onClick={close}>
        ✕
      </button>
      {children}
    </section>
  );
}

/** Media query of windows in which details lie over the page as a sheet; sheet.module.css has the same width. */
export const PHONE = "(max-width: 48rem)";

export function isPhone(): boolean {
  return matchMedia(PHONE).matches;
}

/** True if this device has a network, as far as the browser knows. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    onNetwork,
    () => navigator.onLine,
    () => true,
  );
}

function onNetwork(changed: () => void): () => void {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
}

/** True if the window matches a media query; updated after every change. */
export function useMedia(query: string): boolean {
  const listen = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(
    listen,
    () => matchMedia(query).matches,
    () => false,
  );
}

/** Return the part of a scrolled element that is in view, now and after every change. */
export function useView(box: RefObject<HTMLElement | null>) {
  const [view, setView] = useState({ left: 0, top: 0, width: 1200, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = element;
      setView({ left, top, width, height });
    };
    const sized = new ResizeObserver(look);
    element.addEventListener("scroll", look, { passive: true });
    sized.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      sized.disconnect();
    };
  }, [box]);
  return view;
}

/** Hand a JSON value over to the browser's downloads. */
export function saveJson(value: unknown, name: string): void {
  save(new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }), name);
}

/** Hand a file over to the browser's downloads. */
export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The click has started the download; the address is not needed afterwards.
  URL.revokeObjectURL(link.href);
}

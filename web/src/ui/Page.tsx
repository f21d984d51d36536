import { Plural, Trans, useLingui } from "@lingui/react/macro";
import {
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";
import { type ErrorComponentProps, Link, useLocation, useRouter } from "@tanstack/react-router";
import {
  Fragment,
  type HTMLAttributes,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { now, offset, onOffset } from "@/api/clock";
import { ApiError } from "@/api/problem";
import { roleName, useMe } from "@/auth/hooks";
import { inLanguage, useCycle, useCycleZone, useLanguage } from "./contest";
import { Button, CopyButton, useOnline } from "./controls";
import parts from "./parts.module.css";
import { clock, datedParts, left, moment } from "./time";
import styles from "./ui.module.css";

/** Page: its title in the window and as its heading, which gets the focus after a change of pages. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const router = useRouter();
  const cycle = useCycle();
  const language = useLanguage();
  const name = cycle ? inLanguage(cycle.name, language) : "Hurdle";
  useEffect(() => {
    // The first page has the contest's name.
    document.title = title === name ? name : `${title} · ${name}`;
  }, [title, name]);
  useEffect(() => {
    // On the page by which a user entered the site, the browser's own initial focus is right.
    if (router.history.length > 1 && router.state.resolvedLocation) heading.current?.focus({ preventScroll: true });
  }, [router]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}

/** Section of a page, labelled by its heading, whose id is `id`. */
export function PageSection({ id, title, children, ...rest }: { id: string; title: ReactNode } & SectionProps) {
  return (
    <section aria-labelledby={id} {...rest}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

type SectionProps = Omit<HTMLAttributes<HTMLElement>, "id" | "title">;

interface FactProps {
  name: ReactNode;
  className?: string | undefined;
  /** Value that is a moment; `code` is a value shown as code. */
  at?: string;
  code?: string;
  children?: ReactNode;
}

/** Name with its value in a `<dl>`. */
export function Fact({ name, className, at, code, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={className}>{at ? <Moment at={at} /> : code === undefined ? children : <code>{code}</code>}</dd>
    </>
  );
}

/** Query of the platform, or the result of one that the page has made already. */
type Question<T, K extends QueryKey> =
  | { asks: UseQueryOptions<T, unknown, T, K>; of?: never }
  | { of: UseQueryResult<T, unknown>; asks?: never };

type AnsweredProps<T, K extends QueryKey> = Question<T, K> & {
  /** Placeholder until the first answer; it keeps the layout's height. */
  loading?: ReactNode;
  children: (data: T) => ReactNode;
};

/** Answer of a query, or its placeholder. An earlier answer stays, with its age, if a later request fails. */
export function Answered<T, K extends QueryKey>({ asks, of, ...rest }: AnsweredProps<T, K>) {
  if (!asks) return <AnswerOf of={of} {...rest} />;
  return <Asking asks={asks}>{(own) => <AnswerOf of={own} {...rest} />}</Asking>;
}

type AnswerView<T> = Pick<AnsweredProps<T, QueryKey>, "loading" | "children">;

interface AskingProps<T, K extends QueryKey> {
  asks: UseQueryOptions<T, unknown, T, K>;
  children: (of: UseQueryResult<T, unknown>) => ReactNode;
}

function Asking<T, K extends QueryKey>({ asks, children }: AskingProps<T, K>) {
  return children(useQuery(asks));
}

function AnswerOf<T>({
  of,
  loading = <Skeleton lines={5} />,
  children,
}: AnswerView<T> & { of: UseQueryResult<T, unknown> }) {
  const online = useOnline();
  if (of.data !== undefined) {
    return (
      <>
        {of.error && (
          <p className={parts.warning} role="status">
            <Trans>
              The platform does not answer now. The data is from <Ago at={of.dataUpdatedAt} />.
            </Trans>
          </p>
        )}
        {children(of.data)}
      </>
    );
  }
  if (!online) return <NotHere />;
  return of.error ? <Problem error={of.error} retry={() => void of.refetch()} /> : loading;
}

/** Message instead of data that was never opened on this device, while there is no network. */
export function NotHere() {
  return (
    <p role="status">
      <Trans>
        This was not opened on this device before, and there is no connection now. It appears when the connection is
        back.
      </Trans>
    </p>
  );
}

/** Button that fetches the next page of a list, as long as there is one. */
export function NextPage({ nextPages, children }: { nextPages: NextPages; children: ReactNode }) {
  return (
    nextPages.hasNextPage && (
      <Button isDisabled={nextPages.isFetchingNextPage} onPress={() => void nextPages.fetchNextPage()}>
        {children}
      </Button>
    )
  );
}

type NextPages = Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage"> & {
  fetchNextPage: () => Promise<unknown>;
};

/** Error message: the reason, the details, the request's id, and a button to try again if `retry` is given. What is
 * unknown now stays so: the first page is offered instead. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { t } = useLingui();
  const failure = error instanceof ApiError ? error : null;
  const requestId = failure?.requestId;
  const isUnknown = failure?.code.startsWith("unknown_") ?? false;
  return (
    <div role="alert" className={styles.problem}>
      <p>
        <strong>
          <ErrorText error={error} />
        </strong>
      </p>
      {failure && failure.details.length > 0 && <Details details={failure.details} />}
      {requestId && (
        <p>
          <Trans>
            Request <code>{requestId}</code>
          </Trans>{" "}
          <CopyButton text={requestId} what={t`the request's id`} />
        </p>
      )}
      {retry && isUnknown && <Link to="/">{t`To the first page`}</Link>}
      {retry && !isUnknown && <Button onPress={retry}>{t`Try again`}</Button>}
    </div>
  );
}

function ErrorText({ error }: { error: unknown }) {
  const language = useLanguage();
  if (!(error instanceof ApiError))
    return <Trans>Something in this page failed. Reload it; your sent data is stored.</Trans>;
  if (error.texts) return <Dated text={error.texts[language]} />;
  if (error.status === 0) return <Trans>The platform cannot be reached. Check the connection and try again.</Trans>;
  if (error.status === 401) return <Trans>You are not signed in, or your sign-in has ended. Sign in again.</Trans>;
  if (error.status === 403) return <Trans>You may not see this. The organizers can give you the right.</Trans>;
  if (error.status === 429) return <Trans>Too many requests at once. Wait a moment and try again.</Trans>;
  const { status } = error;
  return <Trans>The platform failed to answer (HTTP {status}). Try again in a minute.</Trans>;
}

function Details({ details }: { details: ApiError["details"] }) {
  const language = useLanguage();
  return (
    <ul>
      {details.map((detail) => (
        <li key={JSON.stringify(detail)}>
          {typeof detail.line === "number" && (
            <>
              <Trans>Line {detail.line}:</Trans>{" "}
            </>
          )}
          <Dated text={(language === "ru" && detail.message_ru) || detail.message} />
        </li>
      ))}
    </ul>
  );
}

/** Grey lines in the place of data that is loading; they show after 150 ms, so that a quick answer does not flicker. */
export function Skeleton({ lines }: { lines: number }) {
  const { t } = useLingui();
  if (!useOnline()) return <NotHere />;
  return (
    <div className={styles.skeleton}>
      <span className="sr-only" role="status">
        {t`Loading`}
      </span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <div key={line} aria-hidden="true" />
      ))}
    </div>
  );
}

/** A moment: the reader's own time, the cycle's beside it where it differs. */
export function Moment({ at }: { at: string }) {
  const words = moment(Date.parse(at), useLanguage(), useCycleZone());
  return (
    <time dateTime={at}>
      {words.own}
      {words.cycle && ` (${words.cycle})`}
    </time>
  );
}

/** Time of day of a moment to the second, by the cycle's clock: for events within a run. */
export function TimeOfDay({ at }: { at: string }) {
  return <time dateTime={at}>{clock(Date.parse(at), useLanguage(), useCycleZone())}</time>;
}

/** Countdown to a moment; screen readers do not announce every second. */
export function Countdown({ to }: { to: string }) {
  const { t } = useLingui();
  const { days, clock } = left(Date.parse(to) - useNow());
  return (
    <span role="timer" aria-live="off">
      {days > 0 ? t`${days} d ${clock}` : clock}
    </span>
  );
}

/** Time since data came, by this machine's clock. */
export function Ago({ at }: { at: number }) {
  const seconds = Math.max(0, Math.round((useNow() - offset() - at) / 1000));
  if (seconds < 60) return <Plural value={seconds} one="# second ago" other="# seconds ago" />;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return <Plural value={minutes} one="# minute ago" other="# minutes ago" />;
  const hours = Math.round(minutes / 60);
  if (hours < 48) return <Plural value={hours} one="# hour ago" other="# hours ago" />;
  return <Plural value={Math.round(hours / 24)} one="# day ago" other="# days ago" />;
}

/** Text in which the platform's timestamps are shown as this reader reads times. */
export function Dated({ text }: { text: string }) {
  return datedParts(text).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    part.isMoment ? <Moment key={at} at={part.text} /> : <Fragment key={at}>{part.text}</Fragment>,
  );
}

/** The platform's time, renewed every `everyMs` while the page is seen. */
export function useNow(everyMs = 1000): number {
  useSyncExternalStore(onOffset, offset);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) tick((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now();
}

const SECOND = 1000;

/** Milliseconds as seconds with their unit, in the reader's language. */
export function useSeconds(): (ms: number) => string {
  const language = useLanguage();
  const format = useMemo(
    () => new Intl.NumberFormat(language, { style: "unit", unit: "second", maximumFractionDigits: 1 }),
    [language],
  );
  return useCallback((ms) => format.format(ms / SECOND), [format]);
}

type AskedPageProps<T, K extends QueryKey> = Question<T, K> & { title: string; children: (data: T) => ReactNode };

/** Page built on one query; a user without the right sees a whole page that names the missing right. */
export function AskedPage<T, K extends QueryKey>({ asks, of, ...rest }: AskedPageProps<T, K>) {
  if (!asks) return <PageOf of={of} {...rest} />;
  return <Asking asks={asks}>{(own) => <PageOf of={own} {...rest} />}</Asking>;
}

type PageProps<T> = Pick<AskedPageProps<T, QueryKey>, "title" | "children"> & { of: UseQueryResult<T, unknown> };

function PageOf<T>({ title, of, children }: PageProps<T>) {
  if (isForbidden(of.error) && of.data === undefined) return <Forbidden error={of.error} />;
  return (
    <Page title={title}>
      <AnswerOf of={of}>{children}</AnswerOf>
    </Page>
  );
}

/** True if a right is missing. A page closed to all for now is refused with its own code, shown in its place. */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "forbidden";
}

/** Error page shown instead of a page that fails. */
export function RouteFailure({ error, reset }: ErrorComponentProps) {
  const { t } = useLingui();
  const online = useOnline();
  const wasOffline = useRef(false);
  useEffect(() => {
    // The router remembers that a part of the site did not load.
    if (online && wasOffline.current) location.reload();
    wasOffline.current = !online;
  }, [online]);
  if (!online) {
    return (
      <Page title={t`No connection`}>
        <NotHere />
      </Page>
    );
  }
  if (isNewVersion(error)) return <NewVersion />;
  if (error instanceof ApiError && error.status === 403) return <Forbidden error={error} />;
  return (
    <Page title={t`This page failed`}>
      <Problem error={error} retry={reset} />
    </Page>
  );
}

export function NotFound() {
  const { t } = useLingui();
  const { pathname } = useLocation();
  return (
    <Page title={t`There is no such page`}>
      <p>
        <Trans>
          There is no page at <code>{pathname}</code>. Perhaps the address was cut short.
        </Trans>
      </p>
      <p>
        <Link to="/">{t`To the first page`}</Link>
      </p>
    </Page>
  );
}

/** Page for 403: the missing right, and who grants roles. */
export function Forbidden({ error }: { error: ApiError }) {
  const { i18n, t } = useLingui();
  const { href } = useLocation();
  const me = useMe();
  const role = me && i18n._(roleName(me.role));
  return (
    <Page title={t`You have no access`}>
      <Problem error={error} />
      <p>
        {role ? (
          t`You are signed in as: ${role}. Roles are given by the organizers.`
        ) : (
          <Link to="/signin" search={{ to: href }}>
            {t`Sign in with an account that has access`}
          </Link>
        )}
      </p>
    </Page>
  );
}

/** Page for a site deployed anew while this tab was open: the parts that the tab would load next are gone. */
function NewVersion() {
  const { t } = useLingui();
  return (
    <Page title={t`A new version of the site is out`}>
      <p>{t`This tab has the old version. Reload it to continue; saved data stays saved.`}</p>
      <Button primary onPress={() => location.reload()}>
        {t`Reload`}
      </Button>
    </Page>
  );
}

/** True if a part did not load while online, which browsers word differently; offline the network is the cause. */
function isNewVersion(error: unknown): boolean {
  const words = /dynamically imported module|importing a module script failed|error loading dynamically/i;
  return navigator.onLine && error instanceof TypeError && words.test(error.message);
}

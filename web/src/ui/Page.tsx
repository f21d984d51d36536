import { Trans, useLingui } from "@lingui/react/macro";
import {
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type HTMLAttributes, type ReactNode, useEffect, useRef } from "react";
import { ApiError } from "@/api/problem";
import { inLanguage, useCycle, useLanguage } from "./contest";
import { Button, CopyButton, useOnline } from "./controls";
import { Ago, Dated, Moment } from "./moments";
import parts from "./parts.module.css";
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
export type Question<T, K extends QueryKey> =
  | { asks: UseQueryOptions<T, unknown, T, K>; of?: never }
  | { of: UseQueryResult<T, unknown>; asks?: never };

type AnsweredProps<T, K extends QueryKey> = Question<T, K> & {
  /** Placeholder until the first answer; it keeps the layout's height. */
  loading?: ReactNode;
  children: (data: T) => ReactNode;
};

/** Answer of a query, or its placeholder. An earlier answer stays, with its age, if a later request fails. */
export function Answered<T, K extends QueryKey>({ asks, of, ...rest }: AnsweredProps<T, K>) {
  return asks ? <Asked asks={asks} {...rest} /> : <AnswerOf of={of} {...rest} />;
}

type Shown<T> = Pick<AnsweredProps<T, QueryKey>, "loading" | "children">;

function Asked<T, K extends QueryKey>({ asks, ...rest }: Shown<T> & { asks: UseQueryOptions<T, unknown, T, K> }) {
  return <AnswerOf of={useQuery(asks)} {...rest} />;
}

function AnswerOf<T>({
  of,
  loading = <Skeleton lines={5} />,
  children,
}: Shown<T> & { of: UseQueryResult<T, unknown> }) {
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

/** Error message: the reason, the details, the request's id, and a button to try again if `retry` is given. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { t } = useLingui();
  const failure = error instanceof ApiError ? error : null;
  const requestId = failure?.requestId;
  return (
    <div role="alert" className={styles.problem}>
      <p>
        <strong>
          <Said error={error} />
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
      {retry && <Button onPress={retry}>{t`Try again`}</Button>}
    </div>
  );
}

function Said({ error }: { error: unknown }) {
  const language = useLanguage();
  if (!(error instanceof ApiError))
    return <Trans>Something in this page failed. Reload it; your sent data is stored.</Trans>;
  if (error.said) return <Dated text={error.said[language]} />;
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

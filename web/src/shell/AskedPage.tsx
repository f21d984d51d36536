import { Trans, useLingui } from "@lingui/react/macro";
import { type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiError } from "@/api/problem";
import { roleName, useMe } from "@/auth/hooks";
import { Button, useOnline } from "@/ui/controls";
import { Answered, NotHere, Page, Problem, type Question } from "@/ui/Page";

type AskedPageProps<T, K extends QueryKey> = Question<T, K> & { title: string; children: (data: T) => ReactNode };

/** Page built on one query; a user without the right sees a whole page that names the missing right. */
export function AskedPage<T, K extends QueryKey>({ asks, of, ...rest }: AskedPageProps<T, K>) {
  return asks ? <PageThatAsks asks={asks} {...rest} /> : <PageOf of={of} {...rest} />;
}

type PageProps<T> = Pick<AskedPageProps<T, QueryKey>, "title" | "children">;

function PageThatAsks<T, K extends QueryKey>({
  asks,
  ...rest
}: PageProps<T> & { asks: UseQueryOptions<T, unknown, T, K> }) {
  return <PageOf of={useQuery(asks)} {...rest} />;
}

function PageOf<T>({ title, of, children }: PageProps<T> & { of: UseQueryResult<T, unknown> }) {
  if (isForbidden(of.error) && of.data === undefined) return <Forbidden error={of.error} />;
  return (
    <Page title={title}>
      <Answered of={of}>{children}</Answered>
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

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { api, type Schemas } from "@/api/client";
import { EVERY } from "@/api/queries";
import { AskedPage } from "@/shell/AskedPage";
import { useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import parts from "@/ui/parts.module.css";
import { STATES } from "./importWords";

type Import = Schemas["ImportBody"];

/** How far an import is, and everything that is wrong with what was brought. */
export function ImportPage() {
  const { t } = useLingui();
  const { importId } = useParams({ from: "/desk/imports/$importId" });
  const pages = useInfiniteQuery({
    queryKey: ["/v1/imports", importId],
    queryFn: async ({ pageParam, signal }): Promise<Import> => {
      const query = pageParam === null ? {} : { after: pageParam };
      const asked = { params: { path: { import_id: importId }, query }, signal };
      return (await api.GET("/v1/imports/{import_id}", asked)).data as Import;
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: ({ state }) => (isOver(state.data?.pages[0]?.state) ? false : EVERY.jobs),
  });
  return (
    <AskedPage title={t`Import`} of={pages}>
      {({ pages: told }) => {
        const first = told[0];
        if (!first) return null;
        return (
          <>
            <State of={first} />
            <Faults title={t`Faults`} count={first.fault_count} of={told.flatMap((each) => each.faults)} />
            <Faults title={t`Warnings`} count={first.warning_count} of={told.flatMap((each) => each.warnings)} />
            {pages.hasNextPage && (
              <Button isDisabled={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
                <Trans>More of them</Trans>
              </Button>
            )}
            <p>
              <Link to="/desk/sets">
                <Trans>To the data sets</Trans>
              </Link>
            </p>
          </>
        );
      }}
    </AskedPage>
  );
}

function isOver(state: Import["state"] | undefined): boolean {
  return state === "done" || state === "refused";
}

function State({ of }: { of: Import }) {
  const { i18n, t } = useLingui();
  const { files, read, state } = of;
  const what = of.set ? of.set : t`a whole cycle`;
  const mark = state === "done" ? parts.good : state === "refused" ? parts.void : undefined;
  return (
    <>
      <p role="status">
        <code>{what}</code>: <strong className={mark}>{i18n._(STATES[state])}</strong>
      </p>
      {state === "uploading" && (
        <p>
          <Trans>Its upload broke off, or goes on in another tab. Begin it again where it broke off.</Trans>
        </p>
      )}
      {files > 0 && (
        <p>
          {!isOver(state) && <progress value={read} max={files} aria-label={t`Files that are checked`} />}{" "}
          <Trans>
            checked {read} of {files}, stored {of.stored}
          </Trans>
        </p>
      )}
      {of.failed_at && (
        <p className={parts.void}>
          <Trans>The worker failed. Its job lies among the dead letters, from where it is sent again.</Trans>
        </p>
      )}
      {of.loaded && (
        <ul>
          {Object.entries(of.loaded.sets).map(([name, count]) => (
            <li key={name}>
              <code>{name}</code>: <Plural value={count} one="# file" other="# files" />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface FaultsProps {
  title: string;
  count: number;
  of: Import["faults"];
}

function Faults({ title, count, of }: FaultsProps) {
  const language = useLanguage();
  if (count === 0) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title}: {count}
      </h2>
      <ul>
        {of.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same fault may stand in a file twice
          <li key={at}>
            <code>{each.file}</code>: {language === "ru" ? each.message_ru : each.message}
          </li>
        ))}
      </ul>
    </section>
  );
}

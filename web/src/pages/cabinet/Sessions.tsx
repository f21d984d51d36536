import { Trans, useLingui } from "@lingui/react/macro";
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { EVERY, get, read } from "@/api/client";
import { trainingWords } from "@/pages/public/participation";
import { STATUSES } from "@/pages/public/team";
import { KnowledgeBase, useCycle } from "@/ui/contest";
import { CopyButton, PageLink } from "@/ui/controls";
import { Answered, Moment, NextPage, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { Cabinet } from "./Cabinet";
import { Conclusion, LiveSession, ReportAnswer } from "./Session";
import { modeWord, type SessionBody, standingWord, stateWord } from "./words";

/** Cabinet overview: the team's status, open sessions, the last report, admission and the knowledge base. */
export function Overview() {
  const { i18n, t } = useLingui();
  const cycle = useCycle();
  return (
    <Cabinet title={t`Cabinet`}>
      {(team) => (
        <>
          <p>
            <strong>{team.name}</strong> · {i18n._(STATUSES[team.status])}
            {team.reason && ` · ${team.reason}`}
          </p>
          <Now />
          <Admission />
          {cycle && <KnowledgeBase cycle={cycle} />}
        </>
      )}
    </Cabinet>
  );
}

function Now() {
  const cycle = useCycle();
  const takesSubmissions = (cycle?.submissions.length ?? 0) > 0;
  // A contest that takes only programs opens no sessions.
  const opensSessions = !cycle || cycle.modes.length > 0;
  return (
    <Answered asks={get("/v1/sessions", { limit: 10 }, EVERY.live)}>
      {(data) => {
        const going = data.sessions.filter((session) => session.state === "open");
        const last = data.sessions.find((session) => session.state !== "open");
        return (
          <>
            {going.map((session) => (
              <LiveSession key={session.session_id} sessionId={session.session_id} />
            ))}
            {last && <LastReport sessionId={last.session_id} />}
            {takesSubmissions && (
              <p>
                <Trans>
                  This contest takes submissions.{" "}
                  <Link to="/cabinet/submissions">Submit a file, or follow the team's submissions.</Link>
                </Trans>
              </p>
            )}
            {data.sessions.length === 0 && opensSessions && <FirstCommand />}
          </>
        );
      }}
    </Answered>
  );
}

function FirstCommand() {
  const { t } = useLingui();
  const command = `pku pilot ${trainingWords(useCycle()).pilot}`;
  return (
    <>
      <p>
        <Trans>
          No sessions yet. This command plays one with the pilot program; <Link to="/take-part">Take part</Link>{" "}
          explains how to get it.
        </Trans>
      </p>
      <pre>{command}</pre>
      <CopyButton text={command} what={t`the command`} />
    </>
  );
}

function Admission() {
  const { t } = useLingui();
  // Some contests admit without a qualification.
  const qualifies = useCycle()?.modes.some(({ mode }) => mode === "technical");
  return (
    <PageSection id="admission-title" title={t`Admission to the final`}>
      <Answered asks={get("/v1/team/qualification", {}, EVERY.idle)}>
        {(data) => {
          const latest = (kind: string) => data.claims.filter((claim) => claim.kind === kind);
          const admission = data.admission;
          return (
            <>
              <p>
                {admission ? (
                  <>
                    <strong>{admission.admitted ? t`Admitted` : t`Not admitted`}</strong>
                    {admission.reason && `: ${admission.reason}`} · <Moment at={admission.at} />
                  </>
                ) : (
                  t`The organizers have not decided on admission yet.`
                )}
              </p>
              {qualifies && (
                <p>
                  {data.qualified
                    ? t`The team has a verified conclusion of each kind.`
                    : t`A verified conclusion of each kind is needed, algorithmic and technical.`}
                </p>
              )}
              {qualifies && (
                <dl className={parts.facts}>
                  <dt>{t`Algorithmic`}</dt>
                  <Claims claims={latest("algorithmic")} />
                  <dt>{t`Technical`}</dt>
                  <Claims claims={latest("technical")} />
                </dl>
              )}
            </>
          );
        }}
      </Answered>
    </PageSection>
  );
}

function Claims({ claims }: { claims: readonly { session_id: string; standing: string }[] }) {
  const { i18n } = useLingui();
  return (
    <dd>
      {claims.length === 0 && <Trans>missing: no session of this kind has a positive conclusion</Trans>}
      {claims.map(({ session_id: sessionId, standing }) => (
        <div key={sessionId}>
          {i18n._(standingWord(standing))} ·{" "}
          <Link to="/cabinet/sessions/$sessionId/report" params={{ sessionId }}>
            {sessionId}
          </Link>
        </div>
      ))}
    </dd>
  );
}

/** The conclusion of the newest session that has ended. */
function LastReport({ sessionId }: { sessionId: string }) {
  const { t } = useLingui();
  return (
    <PageSection id="last-title" title={t`Last report`}>
      <p>
        <Link to="/cabinet/sessions/$sessionId/report" params={{ sessionId }}>
          {t`Session ${sessionId}`}
        </Link>
      </p>
      <ReportAnswer sessionId={sessionId}>{(report) => <Conclusion report={report} />}</ReportAnswer>
    </PageSection>
  );
}

/** Page of the team's sessions, the newest first. */
export function Sessions() {
  const { t } = useLingui();
  return <Cabinet title={t`Sessions`}>{() => <List />}</Cabinet>;
}

function List() {
  const pages = useSessionPages("own", EVERY.live, async (query, signal) => {
    return (await read("/v1/sessions", query, signal)).sessions;
  });
  return (
    <Answered of={pages}>
      {() => (
        <SessionList
          pages={pages}
          link={(sessionId) => (
            <PageLink to="/cabinet/sessions/$sessionId" id={sessionId}>
              {sessionId}
            </PageLink>
          )}
          none={<FirstCommand />}
        />
      )}
    </Answered>
  );
}

const PAGE = 50;

type Ask = (query: { limit: number; before?: string }, signal: AbortSignal) => Promise<SessionBody[]>;

/** Fetch sessions, the newest first, a page at a time; `of` names their owner. */
export function useSessionPages(of: string, every: number, ask: Ask) {
  return useInfiniteQuery({
    queryKey: ["sessions", of],
    queryFn: ({ pageParam, signal }) => ask({ limit: PAGE, ...(pageParam ? { before: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last[last.length - 1]?.session_id),
    refetchInterval: every,
  });
}

interface SessionListProps {
  pages: UseInfiniteQueryResult<InfiniteData<SessionBody[]>>;
  link: (sessionId: string) => ReactNode;
  none: ReactNode;
}

/** Loaded sessions, with a button that loads earlier ones. */
export function SessionList({ pages, link, none }: SessionListProps) {
  const { t } = useLingui();
  const sessions = pages.data?.pages.flat() ?? [];
  return (
    <>
      {sessions.length === 0 ? none : <SessionTable sessions={sessions} link={link} />}
      <NextPage nextPages={pages}>{t`Earlier sessions`}</NextPage>
    </>
  );
}

interface SessionTableProps {
  sessions: readonly SessionBody[];
  link: (sessionId: string) => ReactNode;
}

function SessionTable({ sessions, link }: SessionTableProps) {
  const { i18n, t } = useLingui();
  return (
    <Table
      label={t`Table of sessions`}
      rows={sessions}
      rowKey={(row) => row.session_id}
      columns={[
        { header: <Trans>Session</Trans>, cell: (row) => link(row.session_id) },
        {
          header: <Trans>State</Trans>,
          cell: (row) => (
            <>
              {i18n._(stateWord(row.state))}
              {row.annulled && (
                <span className={parts.void}>
                  {" "}
                  <Trans>annulled: {row.annulled.reason}</Trans>
                </span>
              )}
            </>
          ),
        },
        { header: <Trans>Answered</Trans>, cell: (row) => `${row.counts.answered}/${row.files}` },
        { header: <Trans>Void</Trans>, cell: (row) => row.counts.voided },
        { header: <Trans>Mode</Trans>, cell: (row) => i18n._(modeWord(row.mode)) },
        { header: <Trans>Set</Trans>, cell: (row) => row.set },
        { header: <Trans>Opened</Trans>, cell: (row) => <Moment at={row.opened_at} /> },
      ]}
    />
  );
}

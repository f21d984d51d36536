import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { get, post, renewed, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { Whisker } from "@/charts/Whisker";
import { useTeamName } from "@/pages/desk/teamNames";
import { Board as Places } from "@/pages/public/Board";
import { useBoardRuler } from "@/pages/public/boardData";
import { inLanguage, useBoards, useLanguage } from "@/ui/contest";
import { Button, PageLink, Tabs } from "@/ui/controls";
import { Act, Reasoned, useAction } from "@/ui/forms";
import { useKeyHelp, useLetters } from "@/ui/keys";
import { inUnit, placeOf, SIGN } from "@/ui/numbers";
import { Answered, AskedPage, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./conduct.module.css";
import { type Board, boardQuery, runsQuery, type Summary } from "./data";

/** Page of finals with their settlement state, the qualification's board, and answers without scores. */
export function Settlement() {
  const { t } = useLingui();
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Settlement`} asks={runsQuery}>
      {(data) => (
        <>
          <SettlementTabs />
          <PageSection id="finals-title" title={<Trans>Finals</Trans>}>
            <Finals summaries={data.runs.filter(({ mode }) => mode === "final")} />
          </PageSection>
          <PageSection id="qualification-title" title={<Trans>Board of the qualification</Trans>}>
            <Answered asks={boardQuery("qualification")}>
              {(data) => <BoardDecisions board="qualification" data={data} decides={organizes} />}
            </Answered>
          </PageSection>
          <PageSection id="waiting-title" title={<Trans>Answers that wait for scores</Trans>}>
            <Answered asks={get("/v1/conduct/scoring", {}, 10_000)}>
              {({ sessions }) => <Waiting waiting={sessions} decides={organizes} />}
            </Answered>
          </PageSection>
        </>
      )}
    </AskedPage>
  );
}

function Finals({ summaries }: { summaries: readonly Summary[] }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Table of finals`}
      empty={
        <Trans>
          No final yet. <Link to="/desk/plan">Plan one</Link>; its results are settled here.
        </Trans>
      }
      rows={summaries}
      rowKey={(run) => run.run_id}
      columns={[
        {
          header: t`Start`,
          cell: (run) => (
            <>
              <PageLink to="/desk/settlement/$runId" id={run.run_id}>
                <Moment at={run.starts_at} />
              </PageLink>
              {run.trial && ` ${t`trial`}`}
            </>
          ),
        },
        {
          header: t({ message: "Closed", context: "sessions" }),
          cell: (run) => (run.closed_at ? <Moment at={run.closed_at} /> : "—"),
        },
        { header: t`Results`, cell: (run) => (run.published ? t`published` : t`not published`) },
      ]}
    />
  );
}

/** Tabs of the settlement pages. */
export function SettlementTabs() {
  const { t } = useLingui();
  return (
    <Tabs
      label={t`Settlement`}
      of={[
        ["/desk/settlement", t`Finals and boards`],
        ["/desk/settlement/rescorings", t`Rescorings`],
        ["/desk/settlement/annulments", t`Annulments`],
      ]}
    />
  );
}

/** Sessions whose answers wait for scores, the oldest answer of each, and a button to score them now. */
function Waiting({ waiting, decides }: { waiting: readonly Schemas["WaitingBody"][]; decides: boolean }) {
  const { t } = useLingui();
  if (waiting.length === 0) return <p className={parts.good}>{t`No answers wait for scores.`}</p>;
  return (
    <>
      <Table
        label={t`Sessions whose answers wait for scores`}
        rows={waiting}
        rowKey={({ session_id: session }) => session}
        columns={[
          { header: t`Session`, cell: ({ session_id: session }) => session },
          { header: t`Answers`, cell: ({ answers }) => answers },
          { header: t`The oldest`, cell: ({ oldest }) => <Moment at={oldest} /> },
        ]}
      />
      {decides && <Redrive run={null} />}
    </>
  );
}

/** Button that enqueues waiting answers for scoring again; scoring an answer twice is harmless. */
export function Redrive({ run }: { run: string | null }) {
  const { t } = useLingui();
  const sending = useAction(() => post("/v1/conduct/scoring/redrive", {}, { run }), renewed);
  return (
    <div>
      {sending.problem}
      <Act of={sending}>{t`Score waiting answers now`}</Act>{" "}
      {sending.data && (
        <span role="status">
          <Plural
            value={sending.data.enqueued}
            _0="No answers needed scoring."
            one="# answer was sent for scoring."
            other="# answers were sent for scoring."
          />
        </span>
      )}
    </div>
  );
}

type Visibility = "hidden" | "frozen" | "published";

const SEEN: Record<Visibility, MessageDescriptor> = {
  hidden: msg`Nobody outside the staff sees this board.`,
  frozen: msg`Everybody sees this board as it was when it was frozen.`,
  published: msg`Everybody sees this board, live.`,
};

interface BoardDecisionsProps {
  /** Board key: `qualification`, or a final's run id. */
  board: string;
  data: Board;
  decides: boolean;
}

/** Live board as only organizers and the commission see it, its public state, and decisions about its visibility. */
export function BoardDecisions({ board, data, decides }: BoardDecisionsProps) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const others = useBoards().data?.boards.slice(1) ?? [];
  const state = data.state ?? "hidden";
  const live = { ...data, state: "published" as const };
  const all: readonly (readonly [Visibility, label: string, asks: string])[] = [
    ["published", t`Publish`, t`Everybody sees the live board; teams of a final see their results too.`],
    ["frozen", t`Freeze`, t`Everybody keeps seeing the board as it is now; later changes stay hidden.`],
    [
      "hidden",
      t`Withdraw`,
      t`The board becomes visible only to you; teams of a final lose access to their results too.`,
    ],
  ];
  const decisions = all.filter(([to]) => to !== state && (to !== "frozen" || state === "published"));
  return (
    <>
      <p role="status">
        <strong>{i18n._(SEEN[state])}</strong> {t`Below is the live leaderboard, visible only to you.`}
      </p>
      {decides && (
        <div className={parts.actions}>
          {decisions.map(([to, label, asks]) => (
            <Reasoned
              key={to}
              primary={to === "published"}
              label={label}
              asks={asks}
              act={(reason) => post("/v1/conduct/boards/{board}/decision", { board }, { state: to, reason })}
            />
          ))}
          <Link to="/desk/settlement/$board/reveal" params={{ board }}>
            {t`Reveal it place by place`}
          </Link>
        </div>
      )}
      <Places board={live} points={[]} top={live.rows.length} final={board !== "qualification"} />
      <Close shown={data} />
      {others.map(({ key, title }) => (
        <Other key={key} board={board} of={key} title={inLanguage(title, language)} />
      ))}
    </>
  );
}

/** Another board of the contest; it is published, frozen and withdrawn together with the main one. */
function Other({ board, of, title }: { board: string; of: string; title: string }) {
  return (
    <section aria-labelledby={`board-${of}`}>
      <h3 id={`board-${of}`}>{title}</h3>
      <p>
        <Link to="/desk/settlement/$board/reveal" params={{ board }} search={{ key: of }}>
          <Trans>Reveal it place by place</Trans>
          <span className="sr-only"> · {title}</span>
        </Link>
      </p>
      <Answered asks={boardQuery(board, of)}>
        {(data) => (
          <>
            <Places board={{ ...data, state: "published" }} points={[]} top={data.rows.length} />
            <Close shown={data} />
          </>
        )}
      </Answered>
    </section>
  );
}

/** Ties, and places whose order may be due to chance, as computed by the platform. */
function Close({ shown: { rows, board } }: { shown: Board }) {
  const nameOf = useTeamName();
  const language = useLanguage();
  const overlapping = rows.filter(({ ahead }) => ahead?.overlap);
  const shared = rows.filter(({ place, place_to }) => place !== place_to);
  return (
    <ul>
      {shared.length > 0 && (
        <li>
          <Plural value={shared.length} one="# team shares its place" other="# teams share their places" />:{" "}
          {shared.map(({ team, place, place_to }) => `${team} (${placeOf({ place, place_to })})`).join(", ")}
        </li>
      )}
      {overlapping.map(({ team, ahead }) => (
        <li key={team}>
          ≈{" "}
          <Trans>
            {team} is {inUnit(ahead?.difference ?? null, board.unit, language, board)} points behind{" "}
            {nameOf(ahead?.team_id ?? "")}: both 95 % intervals overlap, so their order may be chance.
          </Trans>
        </li>
      ))}
    </ul>
  );
}

/** Board for a ceremony: hidden at first, revealed row by row from the last place up. */
export function Reveal() {
  const { t } = useLingui();
  const { board } = useParams({ from: "/desk/settlement/$board/reveal" });
  const { key } = useSearch({ from: "/desk/settlement/$board/reveal" });
  // A board shown to an audience must not change during the ceremony.
  const query = useQuery({ ...boardQuery(board, key), refetchInterval: false, staleTime: Number.POSITIVE_INFINITY });
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`The results`} of={query}>
      {(data) =>
        organizes ? <Stage board={data} back={board} /> : <p>{t`The results are revealed by organizers.`}</p>
      }
    </AskedPage>
  );
}

function Stage({ board, back }: { board: Board; back: string }) {
  const { t } = useLingui();
  const [revealed, setRevealed] = useState(0);
  const { rows } = board;
  const step = (by: number) => setRevealed((now) => Math.max(0, Math.min(rows.length, now + by)));
  useKeyHelp([
    { keys: "↓ →", does: t`Reveal the next place` },
    { keys: "↑ ←", does: t`Hide it again` },
  ]);
  useLetters(({ key }) => {
    const by = { ArrowDown: 1, ArrowRight: 1, PageDown: 1, ArrowUp: -1, ArrowLeft: -1, PageUp: -1 }[key];
    if (by) step(by);
    return by !== undefined;
  });
  const hidden = rows.length - revealed;
  const newest = rows[hidden];
  const language = useLanguage();
  const ruler = useBoardRuler(board);
  const { unit, levels, measure } = board.board;
  const intervals = rows.some(({ interval }) => interval);
  const figure = (value: number | null) => inUnit(value, unit, language) + SIGN[unit];
  if (rows.length === 0) return <p>{t`This board has no entries.`}</p>;
  return (
    <>
      <div className={parts.actions}>
        <Button primary isDisabled={hidden === 0} onPress={() => step(1)}>
          {t`Reveal the next place`}
        </Button>
        <Button isDisabled={revealed === 0} onPress={() => step(-1)}>
          {t`Hide it again`}
        </Button>
        {back === "qualification" ? (
          <Link to="/desk/settlement">{t`Back to the settlement`}</Link>
        ) : (
          <PageLink to="/desk/settlement/$runId" id={back}>{t`Back to the settlement`}</PageLink>
        )}
      </div>
      <p role="status" className="sr-only">
        {newest && t`Place ${placeOf(newest)}: ${newest.team}, ${figure(newest.value)}.`}{" "}
        <Plural value={hidden} _0="Everything is revealed." one="# place is hidden." other="# places are hidden." />
      </p>
      <Table<Board["rows"][number]>
        label={t`The results`}
        tableProps={{ className: styles.reveal }}
        rows={rows}
        rowKey={(row) => row.team_id}
        rowProps={(_, index) => ({
          "data-hidden": index < hidden || undefined,
          "data-newest": index === hidden || undefined,
        })}
        across={(_, index) => index < hidden && t`still hidden`}
        columns={[
          { header: t`Place`, cell: (row, index) => (index < hidden ? "?" : placeOf(row)) },
          { header: t`Team`, cell: (row) => row.team },
          {
            header: inLanguage(measure, language),
            cell: (row) => (
              <>
                {inUnit(row.value, unit, language)}{" "}
                {row.barrier && <strong>{levels.length > 0 ? t`above people` : t`barrier overcome`}</strong>}
              </>
            ),
          },
          {
            header: intervals ? t`95 % interval` : t`The same as a chart`,
            cell: (row) => <Whisker ruler={ruler} values={[row.value]} interval={row.interval} />,
          },
        ]}
      />
    </>
  );
}

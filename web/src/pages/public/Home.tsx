import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { EVERY, listed, type Schemas } from "@/api/client";
import { type Cycle, cycleQuery, inLanguage, useLanguage } from "@/ui/contest";
import { Answered, Dated, Moment, NextPage, Page, Problem, Skeleton } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Board, End } from "./Board";
import { useBoard } from "./boardData";
import { Face } from "./Face";
import styles from "./public.module.css";
import { NextDate, runsQuery, Stages } from "./Runs";

const TOP = 5;

/** Show what the contest is, its dates, and its leading teams. */
export function Home() {
  const { t } = useLingui();
  const language = useLanguage();
  const cycle = useQuery(cycleQuery);
  const board = useBoard({ final: false, by: "all", run: undefined });
  return (
    <Page title={cycle.data ? inLanguage(cycle.data.name, language) : t`The contest`}>
      <End />
      <Face cycle={cycle.data} board={board.data} next={cycle.data ? <Next cycle={cycle.data} /> : "—"} />
      <Answered of={cycle} loading={null}>
        {(data) => data.stages.length > 0 && <Stages cycle={data} />}
      </Answered>
      <h2>{t`Leaderboard of the qualification`}</h2>
      <Answered of={board}>{(data) => <Board board={data} points={[]} top={TOP} />}</Answered>
      <p>
        <Link to="/boards">{t`All places, by language and with every detail`}</Link>
      </p>
    </Page>
  );
}

function Next({ cycle }: { cycle: Cycle }) {
  const runs = useQuery(runsQuery);
  return <NextDate cycle={cycle} runs={runs.data?.runs ?? []} />;
}

type Announcement = Schemas["AnnouncementBody"];

const SEEN = "hurdle.announcements-seen";
/** Text that sorts after every timestamp in ISO 8601. */
const NOTHING_IS_NEW = "9";

/** Show the public announcements, the latest first; those since the last visit are marked. */
export function Announcements() {
  const { t } = useLingui();
  const pages = useInfiniteQuery(listed("/v1/announcements", { limit: 20 }, EVERY.idle));
  const all = pages.data?.pages.flatMap((page) => page.announcements) ?? [];
  const lastSeen = useLastSeen(pages.isSuccess ? (all[0]?.published_at ?? "") : undefined);
  return (
    <Page title={t`Announcements`}>
      {pages.error && <Problem error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isPending && <Skeleton lines={6} />}
      {pages.isSuccess && all.length === 0 && (
        <p>
          <Trans>
            Nothing has been announced yet. Changes of rules, new sets, dates and results are announced here, before
            they take effect.
          </Trans>
        </p>
      )}
      {all.map((announcement) => (
        <AnnouncementEntry
          key={announcement.announcement_id}
          announcement={announcement}
          isNew={(announcement.published_at ?? "") > lastSeen}
        />
      ))}
      <NextPage nextPages={pages}>{t`Older ones`}</NextPage>
    </Page>
  );
}

function AnnouncementEntry({ announcement, isNew }: { announcement: Announcement; isNew: boolean }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { announcement_id: id, title, text, published_at: published, effective_at: effective, reason } = announcement;
  return (
    <article id={id} aria-labelledby={`title-${id}`}>
      <h2 id={`title-${id}`}>
        <Dated text={title[language]} /> {isNew && <span className={styles.fresh}>{t`new`}</span>}
      </h2>
      <p className={parts.note}>
        {published && <Moment at={published} />}
        {effective && (
          <>
            {" · "}
            <Trans>
              takes effect <Moment at={effective} />
            </Trans>
          </>
        )}
      </p>
      {announcement.corrected_by ? (
        <p>
          <a href={`#${announcement.corrected_by}`}>{t`This was corrected by a later announcement.`}</a>
        </p>
      ) : (
        announcement.state === "withdrawn" && (
          <p>
            <strong>{t`Withdrawn: ${reason}`}</strong>
          </p>
        )
      )}
      <p className={styles.text}>
        <Dated text={text[language]} />
      </p>
    </article>
  );
}

/** Return the time of the latest announcement seen on this device before this visit; at first, nothing is new. */
function useLastSeen(newest: string | undefined): string {
  const [lastSeen] = useState(() => localStorage.getItem(SEEN) ?? NOTHING_IS_NEW);
  useEffect(() => {
    if (newest !== undefined) localStorage.setItem(SEEN, newest);
  }, [newest]);
  return lastSeen;
}

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMay } from "@/auth/hooks";
import { AskedPage } from "@/shell/AskedPage";
import { languageName, useGroupName, useLanguage } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { Giving } from "./Begin";
import styles from "./coordination.module.css";
import { type Progress, progressOf, useNames } from "./data";
import { Essays } from "./Essays";
import { Late } from "./Late";
import { Reports } from "./Reports";
import { MarkingTabs } from "./Tabs";

/**
 * How far one body of work is, whether it will end in time, and what can be done about it.
 *
 * Clause: R 2.30
 */
export function MarkingPage() {
  const { t } = useLingui();
  const { markingId } = useParams({ from: "/desk/experts/markings/$markingId" });
  const found = useQuery(progressOf(markingId));
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Experts' work: ${markingId}`} of={found}>
      {(progress) => (
        <>
          <MarkingTabs markingId={markingId} />
          <Summary of={progress} />
          <Subjects of={progress} />
          <Late of={progress} />
          {organizes && progress.lacking > 0 && (
            <section aria-labelledby="lacking-title">
              <h2 id="lacking-title">
                <Plural value={progress.lacking} one="# expert is lacking" other="# experts are lacking" />
              </h2>
              <Giving order={orderOf(progress)} />
            </section>
          )}
          <div className={styles.large}>
            <Essays of={progress} organizes={organizes} />
          </div>
          <Reports markingId={markingId} />
        </>
      )}
    </AskedPage>
  );
}

const RATINGS = "ratings-";

/** By which order the same work was begun: giving out again what is lacking names the same thing. */
function orderOf({ marking }: Progress) {
  const { marking_id: id, run, set } = marking;
  if (id.startsWith(RATINGS)) return { session: id.slice(RATINGS.length) };
  return run ? { run } : { set };
}

function Summary({ of }: { of: Progress }) {
  const nameOf = useNames();
  const { forecast } = of;
  return (
    <dl className={parts.facts}>
      <dt>
        <Trans>Done</Trans>
      </dt>
      <dd>
        <Trans>
          {of.done} of {of.essays.length}
        </Trans>
      </dd>
      <dt>
        <Trans>Third experts called</Trans>
      </dt>
      <dd>{of.thirds}</dd>
      <dt>
        <Trans>The last markup</Trans>
      </dt>
      <dd>
        {forecast.ends_at === null ? (
          <Trans>Nobody can say yet: somebody who has work has not handed any in.</Trans>
        ) : (
          <>
            <b>
              <Moment at={forecast.ends_at} />
            </b>{" "}
            {forecast.earliest && forecast.latest && forecast.earliest !== forecast.latest && (
              <Trans>
                (95 %: from <Moment at={forecast.earliest} /> to <Moment at={forecast.latest} />)
              </Trans>
            )}
            {!forecast.fair && (
              <>
                {" "}
                <Trans>Little is handed in yet, so this is rough.</Trans>
              </>
            )}
          </>
        )}
      </dd>
      {forecast.slowest && (
        <>
          <dt>
            <Trans>It hangs on</Trans>
          </dt>
          <dd>{nameOf(forecast.slowest)}</dd>
        </>
      )}
    </dl>
  );
}

function Subjects({ of }: { of: Progress }) {
  const { t } = useLingui();
  const language = useLanguage();
  const titleOf = useGroupName();
  return (
    <Table
      label={t`Progress by type`}
      rows={of.subjects}
      rowKey={(each) => `${each.language} ${each.subject}`}
      columns={[
        {
          header: t`Type`,
          cell: (each) => (
            <>
              {titleOf(each.subject)} <small>{languageName(each.language, language)}</small>
            </>
          ),
        },
        { header: t`Done`, cell: ({ done }) => done },
        { header: t`Open`, cell: ({ open }) => open },
        { header: t`Late`, cell: ({ late }) => late, className: ({ late }) => (late > 0 ? parts.void : undefined) },
        { header: t`All`, cell: ({ essays }) => essays },
      ]}
    />
  );
}

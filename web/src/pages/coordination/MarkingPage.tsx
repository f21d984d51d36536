import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { post, renewed } from "@/api/client";
import { ApiError } from "@/api/problem";
import { useMay } from "@/auth/hooks";
import { languageName, useCalled, useGroupName, useLanguage, useMessage } from "@/ui/contest";
import { Check, Choice, Field, FilterBar, FilterChoice, Reasoned, useDraft, useFilter } from "@/ui/forms";
import { AskedPage, Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import styles from "./coordination.module.css";
import {
  type Essay,
  EXPERTS,
  type Given,
  isFree,
  MarkingTabs,
  type Progress,
  progressOf,
  Reports,
  StateWord,
  useNames,
} from "./data";
import { Giving } from "./Markings";
import { Suggesting } from "./Suggesting";

/**
 * One annotation project: its progress, its expected end, and the coordinator's actions.
 *
 * Clause: R 2.30
 */
export function MarkingPage() {
  const { t } = useLingui();
  const { markingId } = useParams({ from: "/desk/experts/markings/$markingId" });
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Experts' work: ${markingId}`} asks={progressOf(markingId)}>
      {(progress) => (
        <>
          <MarkingTabs markingId={markingId} />
          <Summary progress={progress} />
          <Subjects progress={progress} />
          <Late progress={progress} />
          {organizes && progress.lacking > 0 && (
            <PageSection
              id="lacking-title"
              title={<Plural value={progress.lacking} one="# expert is lacking" other="# experts are lacking" />}
            >
              <Giving order={orderOf(progress)} />
            </PageSection>
          )}
          <div className={styles.large}>
            <Essays progress={progress} organizes={organizes} />
          </div>
          <Reports markingId={markingId} />
        </>
      )}
    </AskedPage>
  );
}

const RATINGS = "ratings-";

/** Return the order that began this work; giving out the lacking assignments again sends the same order. */
function orderOf({ marking }: Progress) {
  const { marking_id: id, run, set } = marking;
  if (id.startsWith(RATINGS)) return { session: id.slice(RATINGS.length) };
  return run ? { run } : { set };
}

function Summary({ progress }: { progress: Progress }) {
  const { t } = useLingui();
  const nameOf = useNames();
  const { forecast } = progress;
  return (
    <dl className={parts.facts}>
      <Fact name={t`Done`}>{t`${progress.done} of ${progress.essays.length}`}</Fact>
      <Fact name={t`Third experts called`}>{progress.thirds}</Fact>
      <Fact name={t`The last markup`}>
        {forecast.ends_at === null ? (
          t`No forecast yet: some experts with work have not handed in anything.`
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
            {!forecast.fair && <> {t`Few texts are handed in yet, so this is a rough estimate.`}</>}
          </>
        )}
      </Fact>
      {forecast.slowest && <Fact name={t`It hangs on`}>{nameOf(forecast.slowest)}</Fact>}
    </dl>
  );
}

function Subjects({ progress }: { progress: Progress }) {
  const { t } = useLingui();
  const language = useLanguage();
  const titleOf = useGroupName();
  return (
    <Table
      label={t`Progress by type`}
      rows={progress.subjects}
      rowKey={(row) => `${row.language} ${row.subject}`}
      columns={[
        {
          header: t`Type`,
          cell: (row) => (
            <>
              {titleOf(row.subject)} <small>{languageName(row.language, language)}</small>
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

const FROM = "/desk/experts/markings/$markingId";
const SHOWN: Record<string, (essay: Essay) => boolean> = {
  late: (essay) => essay.late,
  open: (essay) => !essay.done,
  done: (essay) => essay.done,
  third: (essay) => essay.third?.needed ?? false,
  noted: (essay) => essay.assignments.some(({ note }) => note !== ""),
};

/** Show all essays with their experts; chosen rows are given to another expert, extended or taken back together. */
export function Essays({ progress, organizes }: { progress: Progress; organizes: boolean }) {
  const { t } = useLingui();
  const { many, Many, One } = useCalled();
  const { show, subject } = useSearch({ from: FROM });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const titleOf = useGroupName();
  const text = useMessage();
  const visible = progress.essays.filter(
    (essay) => (SHOWN[show ?? ""]?.(essay) ?? true) && (subject === undefined || essay.subject === subject),
  );
  const count = visible.length;
  // Skip chosen assignments that have ended since or are not shown any more.
  const rows = visible.flatMap((essay) =>
    essay.assignments.filter((assignment) => isFree(assignment, essay) && chosen.has(assignment.assignment_id)),
  );
  const toggle = (row: Given) => {
    const next = new Set(chosen);
    if (!next.delete(row.assignment_id)) next.add(row.assignment_id);
    choose(next);
  };
  return (
    <PageSection id="essays-title" title={t`${Many}: ${count}`}>
      <Filters subjects={[...new Set(progress.essays.map((essay) => essay.subject))]} />
      {organizes && <Assigning rows={rows} done={() => choose(new Set())} />}
      {organizes && progress.marking.run === null && (
        <Suggesting markingId={progress.marking.marking_id} chosen={rows} />
      )}
      <Table
        label={t`Table: ${many}`}
        empty={t`No matching work. Choose another view.`}
        rows={visible}
        rowKey={(essay) => essay.item_id}
        columns={[
          { header: One, cell: (essay) => essay.item_id },
          { header: t`Type`, cell: ({ subject }) => titleOf(subject) },
          { header: t`State`, cell: (essay) => <Standing essay={essay} /> },
          {
            header: t`Experts`,
            cell: (essay) => (
              <ul className={styles.given}>
                {essay.assignments.map((assignment) => (
                  <li key={assignment.assignment_id}>
                    <Assigned
                      of={assignment}
                      essay={essay}
                      checked={organizes && isFree(assignment, essay) ? chosen.has(assignment.assignment_id) : null}
                      toggle={() => toggle(assignment)}
                    />
                  </li>
                ))}
              </ul>
            ),
          },
          {
            header: t`Third expert`,
            cell: ({ third }) =>
              third === null ? "—" : third.needed ? third.reasons.map(text).join("; ") : t`not needed`,
            className: parts.prose,
          },
        ]}
      />
    </PageSection>
  );
}

function Filters({ subjects }: { subjects: readonly string[] }) {
  const { t } = useLingui();
  const search = useSearch({ from: FROM });
  const titleOf = useGroupName();
  const filter = useFilter<{ show?: string; subject?: string }>(search);
  return (
    <FilterBar>
      <FilterChoice
        label={t`Show`}
        data-filter
        {...filter("show")}
        options={{
          late: t`late`,
          open: t`not done`,
          done: t`done`,
          third: t`with a third expert`,
          noted: t`with a note of an expert`,
        }}
      />
      <FilterChoice label={t`Type`} {...filter("subject")} options={subjects} named={titleOf} />
    </FilterBar>
  );
}

function Standing({ essay }: { essay: Essay }) {
  const { t } = useLingui();
  if (essay.done) return <span className={parts.good}>{t`done`}</span>;
  if (essay.late) return <span className={parts.void}>{t`late`}</span>;
  if (essay.lacking > 0) return <Plural value={essay.lacking} one="lacks # expert" other="lacks # experts" />;
  return <Trans context="work">open</Trans>;
}

interface AssignedProps {
  of: Given;
  essay: Essay;
  /** True if the row is chosen; null if nothing can be done to it. */
  checked: boolean | null;
  toggle: () => void;
}

function Assigned({ of, essay, checked, toggle }: AssignedProps) {
  const { t } = useLingui();
  const { one } = useCalled();
  const nameOf = useNames();
  const name = nameOf(of.expert_id);
  const at = of.ended_at ?? of.closes_at;
  const summary = (
    <>
      {name}
      {of.third && ` ${t`(third)`}`}: <StateWord state={of.state} />
      {of.state === "opened" && at && (
        <>
          {" "}
          <Trans>
            until <Moment at={at} />
          </Trans>
        </>
      )}
      {of.reason && ` — ${of.reason}`}
      {of.suggested && (
        <>
          {" "}
          <Suggested suggested={of.suggested} />
        </>
      )}
    </>
  );
  const label = t`Choose ${name}, ${one} ${essay.item_id}`;
  return (
    <>
      {checked === null ? summary : <Check aria-label={label} value={checked} change={toggle} label={summary} />}
      {of.note !== "" && <p className={styles.note}>{t`Note: ${of.note}`}</p>}
    </>
  );
}

/** Show the source and number of an expert's suggestions, and how many of them the annotation kept, unless null. */
function Suggested({ suggested }: { suggested: NonNullable<Given["suggested"]> }) {
  const { t } = useLingui();
  const { fragments, kept } = suggested;
  const session = suggested.source.replace(/^session /, "");
  const source = { dictionary: t`dictionary`, markups: t`markups` }[suggested.source] ?? t`session ${session}`;
  return (
    <small>
      {kept === null
        ? t`with suggestions (${source}: ${fragments})`
        : t`with suggestions (${source}: ${kept} of ${fragments} kept)`}
    </small>
  );
}

const LONGEST_MIN = 7 * 24 * 60;

interface Refused {
  of: Given;
  error: ApiError;
}

/** Show the actions on all chosen rows together; each refused row is listed with the platform's reason. */
function Assigning({ rows, done }: { rows: readonly Given[]; done: () => void }) {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ to: "", minutes: "30" });
  const { to, minutes } = draft;
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const experts = useQuery(EXPERTS).data?.experts ?? [];
  const nameOf = useNames();
  const titleOf = useGroupName();
  const language = useLanguage();
  const decideAll = async (act: (of: Given) => Promise<unknown>) => {
    const refusals: Refused[] = [];
    // Send the requests one after the other: two rows may be of one essay.
    for (const row of rows) {
      try {
        await act(row);
      } catch (error) {
        if (!(error instanceof ApiError) || error.passing) throw error;
        refusals.push({ of: row, error });
      }
    }
    setRefused(refusals);
  };
  const place = (row: Given) => ({ expert_id: row.expert_id, assignment_id: row.assignment_id });
  const path = "/v1/experts/{expert_id}/assignments/{assignment_id}" as const;
  const after = async () => {
    done();
    await renewed();
  };
  const count = rows.length;
  return (
    <>
      {refused.length > 0 && (
        <div role="alert">
          <p className={parts.void}>
            <Plural value={refused.length} one="# was refused:" other="# were refused:" />
          </p>
          <ul>
            {refused.map(({ of, error }) => (
              <li key={of.assignment_id}>
                {nameOf(of.expert_id)}: {error.texts?.[language] ?? error.message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={styles.bar} role="toolbar" aria-label={t`Actions on the chosen rows`}>
        <span role="status">
          <Plural value={count} one="# row chosen" other="# rows chosen" />
        </span>
        {count > 0 && (
          <>
            <Reasoned
              label={<Trans>Assign to…</Trans>}
              asks={<Trans>Give the chosen rows to another expert? Rows: {count}. Saved drafts are kept.</Trans>}
              act={(reason) => decideAll((row) => post(`${path}/reassign`, place(row), { reason, ...(to && { to }) }))}
              done={after}
            >
              <Choice
                label={t`To whom`}
                {...bind("to")}
                none={t`the least loaded eligible expert`}
                options={experts
                  .filter(({ active }) => active)
                  .map((expert) => {
                    const subjects = expert.subjects.map(titleOf).join(", ");
                    return [expert.expert_id, `${expert.pseudonym} (${subjects})`] as const;
                  })}
              />
            </Reasoned>
            <Reasoned
              label={<Trans>More time…</Trans>}
              asks={<Trans>Give more time for the chosen rows? Rows: {count}.</Trans>}
              act={(reason) =>
                decideAll((row) => post(`${path}/extend`, place(row), { reason, seconds: Number(minutes) * 60 }))
              }
              done={after}
            >
              <Field label={t`Minutes`} type="number" required min={1} max={LONGEST_MIN} {...bind("minutes")} />
            </Reasoned>
            <Reasoned
              label={<Trans>Take back…</Trans>}
              asks={
                <Trans>
                  Take back the chosen rows? Rows: {count}. Nobody has them until you give them out again; saved drafts
                  are kept.
                </Trans>
              }
              act={(reason) => decideAll((row) => post(`${path}/release`, place(row), { reason }))}
              done={after}
            />
          </>
        )}
      </div>
    </>
  );
}

/** Show the essays whose time ran out without an annotation and that no expert has now. */
export function Late({ progress }: { progress: Progress }) {
  const { t } = useLingui();
  const nameOf = useNames();
  const titleOf = useGroupName();
  const late = progress.essays.filter((essay) => essay.late);
  return (
    <PageSection id="late-title" title={t`Late`}>
      {late.length === 0 ? (
        <p className={parts.good}>{t`Nothing is late.`}</p>
      ) : (
        <ul>
          {late.map((essay) => (
            <li key={essay.item_id}>
              <b>{essay.item_id}</b> {titleOf(essay.subject)}:{" "}
              {essay.assignments
                .filter((assignment) => assignment.state === "expired" && assignment.markup === null)
                .map((assignment) => (
                  <span key={assignment.assignment_id}>
                    {nameOf(assignment.expert_id)}
                    {assignment.ended_at && (
                      <>
                        , <Moment at={assignment.ended_at} />
                      </>
                    )}{" "}
                  </span>
                ))}
            </li>
          ))}
        </ul>
      )}
    </PageSection>
  );
}

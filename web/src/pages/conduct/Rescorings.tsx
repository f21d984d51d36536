import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { EVERY, get, post, renewed, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { languageName, Note, useBoards, useCycleZone, useLanguage, useMeasureName, useUnit } from "@/ui/contest";
import { Act, Choice, Field, FilterChoice, Reasoned, useAction, useDraft } from "@/ui/forms";
import { inUnit, plain } from "@/ui/numbers";
import { AskedPage, Fact, Moment } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { moment } from "@/ui/time";
import {
  DECIDED,
  type Details,
  figureWords,
  MODE_NAMES,
  NO_SELECTION,
  runsQuery,
  type Selection,
  selected,
} from "./data";
import { SettlementTabs } from "./Settlement";

/** Page of rescorings: new scores of closed sessions, computed beside the old ones. */
export function Rescorings() {
  const { i18n, t } = useLingui();
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Rescorings`} asks={get("/v1/rescorings", {}, EVERY.live)}>
      {({ rescorings }) => (
        <>
          <SettlementTabs />
          <p>
            <Trans>
              After a change of parameters, classifier, markups or scorer, closed sessions and scored submissions get
              new scores beside the old ones. The new scores take effect when you accept them.
            </Trans>
          </p>
          {organizes && <Begin />}
          <Table
            label={t`Rescorings`}
            empty={t`No rescorings yet.`}
            rows={rescorings}
            rowKey={(row) => row.rescoring_id}
            columns={[
              {
                header: t`Begun`,
                cell: (row) => (
                  <Link to="/desk/settlement/rescorings/$rescoringId" params={{ rescoringId: row.rescoring_id }}>
                    <Moment at={row.begun_at} />
                  </Link>
                ),
              },
              { header: t`State`, cell: (row) => i18n._(DECIDED[row.state]) },
              { header: t`Rescored`, cell: (row) => `${row.made}/${row.total}` },
              { header: t`Parameters`, cell: (row) => row.parameters_version },
              { header: t`Reason`, cell: (row) => row.reason, className: parts.prose },
            ]}
          />
        </>
      )}
    </AskedPage>
  );
}

function Begin() {
  const { t } = useLingui();
  const [language, zone] = [useLanguage(), useCycleZone()];
  const navigate = useNavigate();
  const finals = useQuery(runsQuery).data?.runs.filter(({ mode }) => mode === "final") ?? [];
  const { draft, bind } = useDraft<Selection>(NO_SELECTION);
  const version = t`Version of the parameters (else the present one; of a final its own)`;
  return (
    <div className={parts.actions}>
      <Reasoned
        primary
        label={<Trans>Score anew…</Trans>}
        asks={
          <Trans>
            Every closed session and scored submission that matches all conditions. A final is rescored as a whole:
            choose only the final and the parameters.
          </Trans>
        }
        act={async (reason) => {
          const { rescoring_id: rescoringId } = await post("/v1/rescorings", {}, selected(draft, reason));
          await navigate({ to: "/desk/settlement/rescorings/$rescoringId", params: { rescoringId } });
        }}
      >
        <FilterChoice
          label={<Trans>A final</Trans>}
          {...bind("run")}
          options={finals.map(
            (run) => [run.run_id, `${moment(Date.parse(run.starts_at), language, zone).own} · ${run.run_id}`] as const,
          )}
        />
        <FilterChoice label={<Trans>Mode</Trans>} {...bind("mode")} options={MODE_NAMES} />
        <Field label={t`Set`} {...bind("set")} />
        <Field label={t`Team`} {...bind("team")} />
        <Field label={t`Closed since (UTC day)`} type="date" {...bind("since")} />
        <Field label={t`Closed until (UTC day)`} type="date" {...bind("until")} />
        <Field label={version} type="number" {...bind("version")} />
      </Reasoned>
    </div>
  );
}

/** Page of one rescoring: every session and every board, old and new side by side, and the decision about it. */
export function RescoringPage() {
  const { t } = useLingui();
  const { rescoringId } = useParams({ from: "/desk/settlement/rescorings/$rescoringId" });
  return (
    <AskedPage
      title={t`A rescoring`}
      asks={get("/v1/rescorings/{rescoring_id}", { rescoring_id: rescoringId }, EVERY.jobs)}
    >
      {(data) => (
        <>
          <SettlementTabs />
          <Comparison details={data} />
        </>
      )}
    </AskedPage>
  );
}

function Comparison({ details }: { details: Details }) {
  const { i18n, t } = useLingui();
  const organizes = useMay("organize");
  return (
    <>
      <dl className={parts.facts}>
        <Fact name={t`State`}>
          {i18n._(DECIDED[details.state])}
          {details.decided_reason && `: ${details.decided_reason}`}
        </Fact>
        <Fact name={t`Begun`} at={details.begun_at} />
        <Fact name={t`Reason`}>{details.reason}</Fact>
        <Fact name={t`Parameters`}>{t`version ${details.parameters_version}`}</Fact>
        <Fact name={t`Rescored`}>
          <span role="status">{t`${details.made} of ${details.total} sessions and submissions`}</span>
          {details.state === "accepted" && `; ${t`${details.applied} use it`}`}
        </Fact>
        {details.held_back > 0 && (
          <Fact name={t`Keep their old references`}>
            <Trans>
              results: {details.held_back}; so few references of a hidden set are corrected that the difference of two
              totals would reveal single items
            </Trans>
          </Fact>
        )}
      </dl>
      <Note of={details.refused} role="alert" className={parts.void} />
      {organizes && <Decisions details={details} />}
      {details.boards.map((board) => (
        <BoardTable key={board.language} of={board} />
      ))}
      {details.sessions.map((session) => (
        <SessionTable key={session.session_id} of={session} />
      ))}
    </>
  );
}

function Decisions({ details }: { details: Details }) {
  const path = { rescoring_id: details.rescoring_id };
  const resuming = useAction(() => post("/v1/rescorings/{rescoring_id}/resume", path), renewed);
  const unfinished =
    details.state === "open"
      ? details.made < details.total
      : details.state === "accepted" && details.applied < details.total;
  return (
    <>
      {resuming.problem}
      <div className={parts.actions}>
        {unfinished && (
          <Act of={resuming}>
            <Trans>Request the missing parts again</Trans>
          </Act>
        )}
        {details.state === "open" && (
          <>
            <Reasoned
              primary
              label={<Trans>Accept</Trans>}
              asks={
                <Trans>
                  Reports and boards use the new scores; the old ones are stored. Published results of a final are
                  withdrawn until its new board is recomputed and published.
                </Trans>
              }
              act={(reason) => post("/v1/rescorings/{rescoring_id}/accept", path, { reason })}
            />
            <Reasoned
              label={<Trans>Discard</Trans>}
              asks={<Trans>Reports and boards do not change; the new scores are stored for comparison.</Trans>}
              act={(reason) => post("/v1/rescorings/{rescoring_id}/discard", path, { reason })}
            />
          </>
        )}
      </div>
    </>
  );
}

const OTHER = "board:";

function BoardTable({ of }: { of: Details["boards"][number] }) {
  const nameOf = useTeamName();
  const { t } = useLingui();
  const language = useLanguage();
  const mainUnit = useUnit();
  const measureOf = useMeasureName();
  const boards = useBoards().data?.boards ?? [];
  // The main board has one part per language; any other board is named by its key.
  const key = of.language.startsWith(OTHER) ? of.language.slice(OTHER.length) : null;
  const rules = key === null ? boards[0] : boards.find((board) => board.key === key);
  const unit = rules?.unit ?? mainUnit;
  const board = key === null ? languageName(of.language, language) : (rules?.title[language] ?? key);
  const measure = rules ? measureOf(rules) : "";
  const side = (place: Details["boards"][number]["rows"][number]["old"]) =>
    place ? `${place.place ?? "—"} · ${inUnit(place.value, unit, language)}` : "—";
  return (
    <section>
      <h2>{t`Board: ${board}`}</h2>
      <Table
        label={t`Places of the board ${board}`}
        rows={of.rows}
        rowKey={(row) => row.team_id}
        columns={[
          { header: t`Team`, cell: (row) => nameOf(row.team_id) },
          { header: t`Old: place · ${measure}`, cell: (row) => side(row.old) },
          { header: t`New: place · ${measure}`, cell: (row) => side(row.new) },
        ]}
      />
    </section>
  );
}

function SessionTable({ of }: { of: Details["sessions"][number] }) {
  const team = useTeamName()(of.team_id);
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const figure = (value: number | null) => (value === null ? "—" : plain(value, language));
  return (
    <section>
      <h2>
        {team},{" "}
        {of.mode === "answers" || of.mode === "program" ? t`submission ${of.session_id}` : t`session ${of.session_id}`}
      </h2>
      <p>
        <Trans>
          Parameters {of.old.parameters_version} → {of.new.parameters_version}.
        </Trans>{" "}
        {of.held_back && t`Keeps its old references.`}{" "}
        {of.old.ready !== of.new.ready &&
          (of.new.ready ? (
            <strong>{t`Becomes ready; judges have to decide again.`}</strong>
          ) : (
            <strong>{t`Is no longer ready; judges have to decide again.`}</strong>
          ))}
      </p>
      <Table
        label={t`Figures of ${of.session_id}`}
        rows={Object.entries(of.metrics)}
        rowKey={([name]) => name}
        columns={[
          {
            header: t`Figure`,
            cell: ([name]) =>
              figureWords(name)
                .map((word) => i18n._(word))
                .join(": "),
          },
          { header: t`Old`, cell: ([, metric]) => figure(metric.old) },
          { header: t`New`, cell: ([, metric]) => figure(metric.new) },
          { header: t`Difference`, cell: ([, metric]) => figure(metric.difference) },
        ]}
      />
    </section>
  );
}

type Annulment = Schemas["AnnulmentBody"];
type Of = Annulment["of"];

const OF: Record<Of, MessageDescriptor> = { set: msg`data set`, session: msg`session`, result: msg`a team's result` };

/** Annulments and restorations, with reasons (D 6.10). */
export function Annulments() {
  const { i18n, t } = useLingui();
  const nameOf = useTeamName();
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`Annulments`} asks={get("/v1/conduct/annulments", {}, 30_000)}>
      {({ annulments }) => (
        <>
          <SettlementTabs />
          <p>
            <Trans>
              Annulled results are removed from boards and conclusions and stay visible to their team, with the reason.
              No session can begin over an annulled set.
            </Trans>
          </p>
          {organizes && <Annul />}
          <Table
            label={t`Annulments`}
            empty={t`No annulments yet.`}
            rows={annulments}
            rowKey={(row) => `${row.of} ${row.subject} ${row.board}`}
            columns={[
              {
                header: t`What`,
                cell: (row) => (
                  <>
                    {i18n._(OF[row.of])} {row.of === "result" ? nameOf(row.subject) : row.subject}
                    {row.board && ` (${row.board})`}
                  </>
                ),
              },
              { header: t`State`, cell: (row) => (row.annulled ? t`annulled` : t`restored`) },
              { header: t`When`, cell: (row) => <Moment at={row.at} /> },
              { header: t`Reason`, cell: (row) => row.reason, className: parts.prose },
              organizes && {
                header: <span className="sr-only">{t`Decision`}</span>,
                cell: (row) =>
                  row.annulled && (
                    <Reasoned
                      label={<Trans>Restore</Trans>}
                      asks={t`Restore ${row.subject}: it counts again on boards and in conclusions.`}
                      act={(reason) =>
                        decide({ of: row.of, subject: row.subject, board: row.board, annulled: false, reason })
                      }
                    />
                  ),
              },
            ]}
          />
        </>
      )}
    </AskedPage>
  );
}

function decide(body: Schemas["AnnulmentRequest"]) {
  return post("/v1/conduct/annulments", {}, body);
}

function Annul() {
  const { t } = useLingui();
  const { draft, bind } = useDraft({ of: "session" as Of, subject: "", board: "qualification" });
  const { of } = draft;
  const target = { of, subject: draft.subject.trim(), ...(of === "result" && { board: draft.board.trim() }) };
  const subjects: Record<Of, string> = { set: t`Name of the set`, session: t`Number of the session`, result: t`Team` };
  return (
    <div className={parts.actions}>
      <Reasoned
        label={t`Annul…`}
        asks={t`It is removed from boards and conclusions; you can restore it.`}
        clause="D 6.10"
        act={(reason) => decide({ ...target, annulled: true, reason })}
      >
        <Choice label={t`What`} {...bind("of")} options={OF} />
        <Field label={subjects[of]} required {...bind("subject")} />
        {of === "result" && <Field label={t`Board: qualification, or a final's run`} required {...bind("board")} />}
      </Reasoned>
    </div>
  );
}

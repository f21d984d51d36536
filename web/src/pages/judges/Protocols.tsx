import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { EVERY, get, post, type Schemas } from "@/api/client";
import { useMay } from "@/auth/hooks";
import { useTeamName } from "@/pages/desk/teamNames";
import { type Cited, inLanguage, useAllCited, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { FilterBar, Reasoned, useFilter } from "@/ui/forms";
import { inUnit } from "@/ui/numbers";
import { Answered, AskedPage, Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table } from "@/ui/Table";
import { RunChoice } from "./Submissions";

type Protocol = Schemas["NamedProtocolBody"];
type Side = Protocol["by"];
type Matter = Protocol["matter"];
type Run = Schemas["RunBody"];

const SIDES: readonly Side[] = ["judges", "commission"];
/** Clauses of each contest's regulation that a side cites in a statement. */
const CLAUSES: Record<Matter, Record<Side, readonly Cited[]>> = {
  results: { judges: ["R 8.3.3", "D 11.4"], commission: ["R 8.3.4", "D 11.2"] },
  mass_failure: { judges: ["R 7.16.1", "D 6.13"], commission: ["R 7.16.1", "D 6.13"] },
};

/** Show the protocols of judges and commission on a run, and those that its results wait for (R 8.3, D 11). */
export function Protocols() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/protocols" });
  const runs = useQuery(get("/v1/runs", { limit: 50 }, EVERY.idle));
  const begun = runs.data?.runs.filter(({ state }) => state !== "planned") ?? [];
  const chosen = begun.find(({ run_id: id }) => id === search.run) ?? begun[0];
  if (chosen) return <OfRun runs={begun} run={chosen} />;
  return (
    <AskedPage title={t`Protocols`} of={runs}>
      {() => <p>{t`No run has begun yet. Protocols on a run and its results are recorded here.`}</p>}
    </AskedPage>
  );
}

/** Show a run's protocols; the whole page is the refusal for users without the right (the list of runs is public). */
function OfRun({ runs, run }: { runs: readonly Run[]; run: Run }) {
  const { t } = useLingui();
  const filter = useFilter({ run: run.run_id });
  const path = { run_id: run.run_id };
  return (
    <AskedPage title={t`Protocols`} asks={get("/v1/conduct/runs/{run_id}/protocols", path, EVERY.idle)}>
      {(data) => (
        <>
          <FilterBar>
            <RunChoice runs={runs} {...filter("run")} />
          </FilterBar>
          {run.mode === "final" && <Wanted protocols={data} />}
          {run.mode === "final" && <Results runId={run.run_id} />}
          <Recorded protocols={data.protocols} />
          <Statements run={run} />
        </>
      )}
    </AskedPage>
  );
}

function useSideName(): (side: Side) => string {
  const { t } = useLingui();
  return (side) => (side === "judges" ? t`the judges` : t`the technical commission`);
}

/** Show the protocols that the results need: the side, the clause, and its position on the present results. */
function Wanted({ protocols }: { protocols: Schemas["ProtocolsBody"] }) {
  const { t } = useLingui();
  const nameOf = useSideName();
  const standings = {
    none: t`none yet`,
    positive: t`positive`,
    negative: t`objects`,
    outdated: t`about earlier results`,
  };
  if (protocols.wanted.length === 0) return null;
  return (
    <PageSection id="wanted-title" title={<Trans>Protocols that the rules ask for</Trans>}>
      <dl className={parts.facts}>
        {protocols.wanted.map(({ by, clause, demanded, standing }) => (
          <div key={by}>
            <Fact
              name={
                <>
                  {nameOf(by)}
                  {clause && ` (${clause})`}
                </>
              }
            >
              <strong
                className={standing === "positive" ? parts.good : demanded || standing !== "none" ? parts.void : ""}
              >
                {standings[standing]}
              </strong>
              {" · "}
              {demanded ? t`nothing is published without it` : t`publication does not wait for it`}
            </Fact>
          </div>
        ))}
      </dl>
    </PageSection>
  );
}

/** Show the protocol's subject: the results as they would be published; each team's name links to its report. */
function Results({ runId }: { runId: string }) {
  const { t } = useLingui();
  const language = useLanguage();
  const nameOf = useTeamName();
  const record = useQuery({ ...get("/v1/commission/{run_id}/report", { run_id: runId }, EVERY.idle), retry: false });
  return (
    <PageSection id="results-title" title={t`Results as they are now`}>
      <Answered of={record}>
        {({ results, board }) =>
          results === null ? (
            <p>{t`No results yet: they appear when the run has ended and everything is scored.`}</p>
          ) : (
            <Table
              label={t`Results as they are now`}
              rows={results}
              rowKey={(row) => row.session_id}
              rowHeader={1}
              columns={[
                { header: t`Place`, cell: (row) => row.place },
                {
                  header: t`Team`,
                  cell: (row) => (
                    <Link to="/desk/sessions/$sessionId/report" params={{ sessionId: row.session_id }}>
                      {nameOf(row.team_id)}
                    </Link>
                  ),
                },
                {
                  header: inLanguage(board.measure, language),
                  cell: (row) => inUnit(row.value, board.unit, language, board),
                },
                { header: t`Answered`, cell: (row) => `${row.answered}/${row.files}` },
                {
                  header: t`Barrier`,
                  cell: (row) => (row.barrier === null ? "—" : row.barrier ? t`overcome` : t`not overcome`),
                },
              ]}
              empty={t`The board is empty: no team's solution counts.`}
            />
          )
        }
      </Answered>
    </PageSection>
  );
}

function Recorded({ protocols }: { protocols: readonly Protocol[] }) {
  const { t } = useLingui();
  return (
    <PageSection id="recorded-title" title={t`Protocols of the run`}>
      {protocols.length === 0 ? (
        <p>{t`No protocol yet.`}</p>
      ) : (
        <>
          <ol reversed>
            {protocols.map((protocol) => (
              <li key={protocol.number}>
                <Moment at={protocol.at} /> · <ProtocolText protocol={protocol} />
                {protocol.name && ` · ${protocol.name}`}
                <br />
                {protocol.reason}
                {!protocol.current && (
                  <p className={parts.void}>{t`It is about earlier results and no longer counts.`}</p>
                )}
              </li>
            ))}
          </ol>
          <p className="no-print">
            <Button onPress={() => window.print()}>{t`Print the protocols`}</Button>
          </p>
        </>
      )}
    </PageSection>
  );
}

function ProtocolText({ protocol }: { protocol: Protocol }) {
  const { t } = useLingui();
  const side = useSideName()(protocol.by);
  if (protocol.matter === "mass_failure") {
    return protocol.positive ? t`${side}: there was a mass failure` : t`${side}: there was no mass failure`;
  }
  return protocol.positive ? t`${side}: the results are right` : t`${side}: the results are not right`;
}

/** Show the statements that this user may record for their side. */
function Statements({ run }: { run: Run }) {
  const { t } = useLingui();
  const may = { judges: useMay("confirm_conclusions"), commission: useMay("verify_results") };
  const nameOf = useSideName();
  return (
    <div className="no-print">
      {SIDES.filter((side) => may[side]).map((side) => (
        <section key={side} aria-label={nameOf(side)}>
          <h2>{t`Record for ${nameOf(side)}`}</h2>
          <div className={parts.actions}>
            {run.mode === "final" && <Statement run={run} side={side} matter="results" positive />}
            {run.mode === "final" && <Statement run={run} side={side} matter="results" positive={false} />}
            <Statement run={run} side={side} matter="mass_failure" positive />
            <Statement run={run} side={side} matter="mass_failure" positive={false} />
          </div>
        </section>
      ))}
    </div>
  );
}

function Statement(statement: { run: Run; side: Side; matter: Matter; positive: boolean }) {
  const { run, side, matter, positive } = statement;
  const { t } = useLingui();
  const cited = useAllCited();
  const path = { run_id: run.run_id };
  const act = (reason: string) => {
    const body = { matter, positive, reason };
    return side === "judges"
      ? post("/v1/conduct/runs/{run_id}/protocols/judges", path, body)
      : post("/v1/conduct/runs/{run_id}/protocols/commission", path, body);
  };
  const labels = {
    results: positive ? t`The results are right` : t`Object to the results`,
    mass_failure: positive ? t`There was a mass failure` : t`There was no mass failure`,
  };
  const consequences = {
    results: (
      <Trans>
        The protocol is about the present results; after a later decision or markup a new one is needed. A protocol
        cannot be deleted, only followed by a later one.
      </Trans>
    ),
    mass_failure: t`The organizers decide on a restart by it. A protocol cannot be deleted, only followed by a later one.`,
  };
  return (
    <Reasoned
      label={labels[matter]}
      asks={consequences[matter]}
      clause={CLAUSES[matter][side].find((clause) => cited.includes(clause))}
      primary={matter === "results" && positive}
      act={act}
    />
  );
}

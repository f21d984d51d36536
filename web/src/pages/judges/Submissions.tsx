import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { get, readFile, type Schemas } from "@/api/client";
import { causeWord, stateWord } from "@/pages/cabinet/words";
import { useTeamName } from "@/pages/desk/teamNames";
import { useCycleZone, useLanguage } from "@/ui/contest";
import { Choice, Downloads, FilterBar, FilterChoice, FilterField, useFilter } from "@/ui/forms";
import { percent } from "@/ui/numbers";
import { Answered, AskedPage, TimeOfDay } from "@/ui/Page";
import { Table } from "@/ui/Table";
import { moment } from "@/ui/time";

type Run = Schemas["RunSummaryBody"];
type RunFile = Schemas["RunFileBody"];
type Search = { [name in "run" | "team" | "cause" | "state"]?: string };

/** Highest number of lines shown; the exports have all. */
const SHOWN = 500;
const CAUSES = ["team_late", "team_invalid", "network", "platform", "organizer_decision"] as const;
const STATES = ["voided", "answered", "open", "waiting"] as const;

/** List all files of a run's teams with the causes of void ones, for the commission (R 8.3.1). */
export function Submissions() {
  const { t } = useLingui();
  const search = useSearch({ from: "/desk/submissions" });
  return (
    <AskedPage title={t`Files of runs`} asks={get("/v1/conduct/runs", { limit: 50 })}>
      {(data) => {
        const chosen =
          data.runs.find((run) => run.run_id === search.run) ?? data.runs.find((run) => run.closed_at) ?? data.runs[0];
        return chosen ? (
          <OfRun runs={data.runs} run={chosen} search={search} />
        ) : (
          <p>{t`No runs yet. The files of a run appear here with their causes when it has begun.`}</p>
        );
      }}
    </AskedPage>
  );
}

interface OfRunProps {
  runs: readonly Run[];
  run: Run;
  search: Search;
}

/** The platform sends a run's files once its last session is closed: until then causes are not final. */
function OfRun({ runs, run, search }: OfRunProps) {
  const query = search.team ? { team: search.team } : {};
  const params = { run_id: run.run_id, ...query };
  const files = useQuery({ ...get("/v1/commission/{run_id}/files", params), enabled: run.closed_at !== null });
  return (
    <>
      <Filters runs={runs} run={run} search={search} />
      {run.closed_at ? (
        <>
          <SaveFiles runId={run.run_id} team={search.team} />
          <Answered of={files}>{(data) => <Files files={data.files} search={search} />}</Answered>
        </>
      ) : (
        <p>
          <Trans>
            The run has not ended; watch it at <Link to="/desk/runs">Runs</Link>. Its files appear here with their
            causes when its last session is closed.
          </Trans>
        </p>
      )}
    </>
  );
}

function Filters({ runs, run, search }: OfRunProps) {
  const filter = useFilter(search);
  return (
    <FilterBar>
      <RunChoice runs={runs} {...filter("run")} value={run.run_id} />
      <FilterChoice label={<Trans>State</Trans>} {...filter("state")} options={STATES} named={stateWord} />
      <FilterChoice label={<Trans>Cause</Trans>} {...filter("cause")} options={CAUSES} named={causeWord} />
      <FilterField data-filter label={<Trans>Team's name for the platform</Trans>} {...filter("team")} />
    </FilterBar>
  );
}

function SaveFiles({ runId, team }: { runId: string; team: string | undefined }) {
  const { t } = useLingui();
  const lang = useLanguage();
  const path = { run_id: runId };
  const ofTeam = { ...path, ...(team && { team }) };
  const values = { ...path, lang };
  return (
    <>
      <Downloads
        title={<Trans>Save the files of the run</Trans>}
        name={`run-${runId}`}
        of={[
          ["CSV", () => readFile("/v1/commission/{run_id}/files.csv", ofTeam)],
          ["XLSX", () => readFile("/v1/commission/{run_id}/files.xlsx", { ...ofTeam, lang })],
        ]}
      />
      <Downloads
        title={<Trans>Save the commission's record: decisions, conclusions, causes, log</Trans>}
        name={`commission-${runId}`}
        of={[
          ["HTML", () => readFile("/v1/commission/{run_id}/report.html", values)],
          [t`XLSX: record`, () => readFile("/v1/commission/{run_id}/report.xlsx", values), "xlsx"],
          ["JSON", () => readFile("/v1/commission/{run_id}/report", path)],
        ]}
      />
    </>
  );
}

function Files({ files, search }: { files: readonly RunFile[]; search: Search }) {
  const nameOf = useTeamName();
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const matching = files.filter(
    (team) => (!search.state || team.state === search.state) && (!search.cause || team.cause === search.cause),
  );
  const time = (at: string | null) => (at ? <TimeOfDay at={at} /> : "—");
  const all = files.length;
  return (
    <>
      <p role="status">
        <Plural value={matching.length} one="# file" other="# files" /> <Trans>of {all}</Trans>
        {matching.length > SHOWN && ` · ${t`the first ${SHOWN} are shown, the exports have all`}`}
      </p>
      <Table
        label={t`Table of files`}
        rows={matching.slice(0, SHOWN)}
        rowKey={(row) => `${row.session_id} ${row.number}`}
        columns={[
          {
            header: <Trans>File</Trans>,
            cell: (row) => (
              <>
                {row.number} · <code>{row.file_id}</code>
              </>
            ),
          },
          {
            header: <Trans>Team</Trans>,
            cell: (row) => (
              <Link to="/desk/sessions/$sessionId/course" params={{ sessionId: row.session_id }}>
                {nameOf(row.team_id)}
              </Link>
            ),
          },
          { header: <Trans>State</Trans>, cell: (row) => i18n._(stateWord(row.state)) },
          { header: <Trans>Cause</Trans>, cell: (row) => (row.cause ? i18n._(causeWord(row.cause)) : "—") },
          { header: <Trans>Asked for</Trans>, cell: (row) => time(row.asked_at) },
          { header: <Trans context="moment">Answered</Trans>, cell: (row) => time(row.answered_at) },
          {
            header: <Trans>Processing, s</Trans>,
            cell: (row) => percent(row.processing_ms === null ? null : row.processing_ms / 1000, language),
          },
        ]}
      />
    </>
  );
}

interface RunChoiceProps {
  label?: ReactNode;
  runs: readonly { run_id: string; starts_at: string; set: string }[];
  value: string;
  change: (run: string) => void;
}

/** Choice of the page's run, named by its start in the reader's zone and its set. */
export function RunChoice({ label = <Trans>Run</Trans>, runs, ...rest }: RunChoiceProps) {
  const language = useLanguage();
  const zone = useCycleZone();
  const nameOf = (run: (typeof runs)[number]) =>
    `${moment(Date.parse(run.starts_at), language, zone).own} · ${run.set}`;
  return <Choice label={label} look={null} {...rest} options={runs.map((run) => [run.run_id, nameOf(run)] as const)} />;
}

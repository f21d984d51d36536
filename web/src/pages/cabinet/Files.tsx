import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useGroupName, useLanguage, useUnit } from "@/ui/contest";
import { Button } from "@/ui/controls";
import parts from "@/ui/parts.module.css";
import { Exports } from "./Exports";
import { FileDetails } from "./FileDetails";
import { FileTable } from "./FileTable";
import {
  type Changed,
  type Column,
  type FilesSearch,
  fileRows,
  readFilesSearch,
  shownRows,
  tellsFiles,
  valueColumns,
} from "./filesView";
import type { ReportBody } from "./reportData";
import { ReportAnswer, SessionPage } from "./SessionPage";
import { stateWord } from "./words";

/** All files of a session, sorted and filtered as the address says. */
export function Files() {
  const { t } = useLingui();
  const { sessionId } = useParams({ from: "/cabinet/sessions/$sessionId/files" });
  return (
    <SessionPage title={t`Files of session ${sessionId}`} sessionId={sessionId}>
      <Own sessionId={sessionId} />
    </SessionPage>
  );
}

function Own({ sessionId }: { sessionId: string }) {
  const search = useSearch({ from: "/cabinet/sessions/$sessionId/files" });
  const navigate = useNavigate({ from: "/cabinet/sessions/$sessionId/files" });
  return (
    <SessionFiles
      sessionId={sessionId}
      search={search}
      change={(changed) =>
        void navigate({
          search: (before) => readFilesSearch({ ...before, ...changed }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

interface SessionFilesProps {
  sessionId: string;
  search: FilesSearch;
  change: (changed: Changed) => void;
}

/** The files of a session's report, sorted and filtered; where that is said is the page's own business. */
export function SessionFiles({ sessionId, search, change }: SessionFilesProps) {
  return (
    <ReportAnswer sessionId={sessionId}>
      {(report) => (
        <>
          <View report={report} sessionId={sessionId} search={search} change={change} />
          <Exports sessionId={sessionId} />
        </>
      )}
    </ReportAnswer>
  );
}

function View({ report, sessionId, search, change }: SessionFilesProps & { report: ReportBody }) {
  const unit = useUnit();
  const columns = useMemo(() => valueColumns(report, unit), [report, unit]);
  const all = useMemo(() => fileRows(report), [report]);
  const rows = useMemo(() => shownRows(all, search), [all, search]);
  const open = all.find((row) => row.number === search.file);
  return (
    <>
      <Filters report={report} columns={columns} search={search} change={change} />
      <p role="status">
        <Plural value={rows.length} one="# file" other="# files" />
        {rows.length !== all.length && (
          <>
            {" "}
            <Trans>of {all.length}</Trans>
          </>
        )}
      </p>
      <FileTable rows={rows} columns={columns} search={search} change={change} />
      {!tellsFiles(report) && report.result !== null && (
        <p className={parts.note}>
          <Trans>Of this set totals alone are told, in the report; of a single file only its course.</Trans>
        </p>
      )}
      {open && <FileDetails session={sessionId} row={open} columns={columns} compares={tellsFiles(report)} />}
    </>
  );
}

function isNumber({ kind }: Column): boolean {
  return kind !== "words";
}

interface FiltersProps {
  report: ReportBody;
  columns: readonly Column[];
  search: FilesSearch;
  change: (changed: Changed) => void;
}

function Filters({ report, columns, search, change }: FiltersProps) {
  const { i18n } = useLingui();
  const language = useLanguage();
  const groups = [...new Set(report.files.map((file) => file.group).filter(Boolean))].toSorted();
  const groupName = useGroupName(groups.length > 0);
  const states = [...new Set(report.files.map((file) => file.state))];
  const bound = (text: string) => (text === "" ? undefined : Number(text));
  const isFiltered = ["state", "group", "name", "by", "from", "to"].some((name) => name in search);
  return (
    <search className={parts.filters}>
      <label>
        <Trans>State</Trans>
        <select
          value={search.state ?? ""}
          onChange={(event) => change({ state: event.currentTarget.value || undefined })}
        >
          <option value="">—</option>
          {states.map((state) => (
            <option key={state} value={state}>
              {i18n._(stateWord(state))}
            </option>
          ))}
        </select>
      </label>
      {groups.length > 0 && (
        <label>
          <Trans>Type</Trans>
          <select
            value={search.group ?? ""}
            onChange={(event) => change({ group: event.currentTarget.value || undefined })}
          >
            <option value="">—</option>
            {groups.map((group) => (
              <option key={group} value={group}>
                {groupName(group)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        <Trans>File's name</Trans>
        <input
          data-filter
          value={search.name ?? ""}
          onChange={(event) => change({ name: event.currentTarget.value || undefined })}
        />
      </label>
      <label>
        <Trans>Metric</Trans>
        <select value={search.by ?? ""} onChange={(event) => change({ by: event.currentTarget.value || undefined })}>
          <option value="">—</option>
          {columns.filter(isNumber).map((column) => (
            <option key={column.key} value={column.key}>
              {column.title[language]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <Trans>from</Trans>
        <input
          type="number"
          step="any"
          value={search.from ?? ""}
          disabled={!search.by}
          onChange={(event) => change({ from: bound(event.currentTarget.value) })}
        />
      </label>
      <label>
        <Trans>to</Trans>
        <input
          type="number"
          step="any"
          value={search.to ?? ""}
          disabled={!search.by}
          onChange={(event) => change({ to: bound(event.currentTarget.value) })}
        />
      </label>
      {isFiltered && (
        <Button
          onPress={() =>
            change({
              state: undefined,
              group: undefined,
              name: undefined,
              by: undefined,
              from: undefined,
              to: undefined,
            })
          }
        >
          <Trans>Show all</Trans>
        </Button>
      )}
    </search>
  );
}

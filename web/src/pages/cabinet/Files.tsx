import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { useGroupName, useLanguage, useUnit } from "@/ui/contest";
import { Button, PHONE, useMedia, useView } from "@/ui/controls";
import { Choice, Field, FilterBar, FilterChoice } from "@/ui/forms";
import { useKeyHelp, useLetters } from "@/ui/keys";
import { cellText } from "@/ui/numbers";
import { Fact, Moment, PageSection } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import { Table, type Column as TableColumn } from "@/ui/Table";
import styles from "./cabinet.module.css";
import {
  type Changed,
  type Column,
  type FileRow,
  type FilesSearch,
  fileRows,
  type ReportBody,
  readFilesSearch,
  shownRows,
  tellsFiles,
  valueColumns,
} from "./filesView";
import { Cause, Exports, ReportAnswer, SessionPage } from "./Session";
import { causeWord, stateWord } from "./words";

/** Page of all files of a session, sorted and filtered by the address's parameters. */
export function Files() {
  const { t } = useLingui();
  return <SessionPage title={(sessionId) => t`Files of session ${sessionId}`} of={SessionFiles} />;
}

/** Files of a session's report, sorted and filtered by the address's parameters. */
export function SessionFiles({ sessionId }: { sessionId: string }) {
  const search = readFilesSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (changed: Changed) =>
    void navigate({
      to: ".",
      search: (before) => readFilesSearch({ ...before, ...changed }) as never,
      replace: true,
      resetScroll: false,
    });
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

interface ViewProps {
  report: ReportBody;
  sessionId: string;
  search: FilesSearch;
  change: (changed: Changed) => void;
}

function View({ report, sessionId, search, change }: ViewProps) {
  const { t } = useLingui();
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
        {rows.length !== all.length && ` ${t`of ${all.length}`}`}
      </p>
      <FileTable rows={rows} columns={columns} search={search} change={change} />
      {!tellsFiles(report) && report.result !== null && (
        <p className={parts.note}>{t`For this set the report shows only totals; for a single file only its course.`}</p>
      )}
      {open && <FileDetails session={sessionId} row={open} columns={columns} compares={tellsFiles(report)} />}
    </>
  );
}

interface FiltersProps {
  report: ReportBody;
  columns: readonly Column[];
  search: FilesSearch;
  change: (changed: Changed) => void;
}

function Filters({ report, columns, search, change }: FiltersProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const groups = [...new Set(report.files.map((file) => file.group).filter(Boolean))].toSorted();
  const groupName = useGroupName(groups.length > 0);
  const states = [...new Set(report.files.map((file) => file.state))];
  const metrics = columns.filter(({ kind }) => kind !== "words");
  const filter = (name: (typeof FILTERS)[number]) => ({
    value: String(search[name] ?? ""),
    change: (text: string) =>
      change({ [name]: text === "" ? undefined : name === "from" || name === "to" ? Number(text) : text }),
  });
  const bound = { type: "number", step: "any", disabled: !search.by };
  return (
    <FilterBar>
      <FilterChoice label={<Trans>State</Trans>} {...filter("state")} options={states} named={stateWord} />
      {groups.length > 0 && (
        <FilterChoice label={<Trans>Type</Trans>} {...filter("group")} options={groups} named={groupName} />
      )}
      <Field label={<Trans>File's name</Trans>} data-filter {...filter("name")} />
      <Choice
        label={<Trans>Metric</Trans>}
        {...filter("by")}
        none="—"
        options={metrics.map(({ key, title }) => [key, title[language]] as const)}
      />
      <Field label={<Trans>from</Trans>} {...bound} {...filter("from")} />
      <Field label={<Trans>to</Trans>} {...bound} {...filter("to")} />
      {FILTERS.some((name) => name in search) && (
        <Button onPress={() => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}>
          {t`Show all`}
        </Button>
      )}
    </FilterBar>
  );
}

const FILTERS = ["state", "group", "name", "by", "from", "to"] as const;

/** Row height set by the style, in pixels, so that row positions need no measuring. */
const ROW = 36;
const BEYOND = 8;
/** Widths in rem: of the columns that identify the file, and of each value's column. */
const NAMED = 44;
const VALUE = 9.5;

interface TableProps {
  rows: readonly FileRow[];
  columns: readonly Column[];
  search: FilesSearch;
  change: (changed: FilesSearch) => void;
}

/** Table of up to a thousand rows; only those in view are in the document. J and K move between rows. */
function FileTable({ rows, columns, search, change }: TableProps) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const box = useRef<HTMLElement>(null);
  const { first, last, look } = useWindow(box, rows.length);
  useKeyHelp([{ keys: "j k", does: t`Next file, previous file` }]);
  const at = rows.findIndex((row) => row.number === search.file);
  useLetters(({ code }) => {
    const step = { KeyJ: 1, KeyK: -1 }[code];
    const row = step && rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    if (!row) return false;
    change({ file: row.number });
    look(rows.indexOf(row));
    return true;
  });
  // If only a set's totals are shown, no file's type is.
  const hasTypes = rows.some(({ file }) => file.group !== "");
  const groupName = useGroupName(hasTypes);
  const typeOf = ({ file }: FileRow) => groupName(file.group);
  const stateOf = ({ file }: FileRow) =>
    i18n._(stateWord(file.state)) + (file.cause ? `: ${i18n._(causeWord(file.cause))}` : "");
  const tableColumns: readonly (TableColumn<FileRow> | false)[] = [
    {
      id: "number",
      header: t`№`,
      cell: (row) => (
        <button
          type="button"
          className={styles.sort}
          aria-pressed={row.number === search.file}
          aria-label={t`File ${row.number}: details`}
          onClick={() => change({ file: row.number })}
        >
          {row.number}
        </button>
      ),
    },
    { id: "name", header: t`File`, cell: ({ file }) => file.file_id, title: ({ file }) => file.file_id },
    hasTypes && { id: "group", header: t`Type`, cell: typeOf, title: typeOf },
    { id: "state", header: t`State`, cell: stateOf, title: stateOf },
    ...columns.map(({ key, title, kind, places }) => ({
      id: key,
      header: title[language],
      cell: (row: FileRow) => cellText(row.cells[key], kind, places, language),
      className: kind === "words" ? undefined : parts.number,
    })),
    { id: "time", header: t`Time, ms`, cell: ({ file }) => file.processing_ms ?? "—", className: parts.number },
  ];
  const narrow = useMedia(PHONE);
  const by = search.sort ?? "number";
  const sortedBy = (search.sort ?? columns[0]?.key ?? "").replace("-", "");
  // A phone has room only for the value that files are sorted by; the others are in the file's details.
  const visible = tableColumns.filter(
    (column) => column && (!narrow || ["number", "state", sortedBy].includes(column.id ?? "")),
  );
  return (
    <>
      {narrow && (
        <Choice
          label={t`Sort by`}
          value={by.replace("-", "")}
          change={(sort) => change({ sort })}
          options={tableColumns.flatMap((column) =>
            column ? [[column.id ?? "", String(column.header)] as const] : [],
          )}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={box} className={styles.rows} tabIndex={0} aria-label={t`Table of files`}>
        <Table
          rows={rows.slice(first, last)}
          rowKey={(row) => row.number}
          rowProps={(row, index) => ({
            "aria-rowindex": first + index + 2,
            className: row.number === search.file ? styles.selected : undefined,
          })}
          sorting={{ by, change: (sort) => change({ sort }), className: styles.sort }}
          tableProps={{
            "aria-rowcount": rows.length + 1,
            style: { width: narrow ? "100%" : `${NAMED + VALUE * columns.length}rem` },
          }}
          before={first > 0 && <Gap rows={first} columns={visible.length} />}
          after={last < rows.length && <Gap rows={rows.length - last} columns={visible.length} />}
          columns={visible}
        />
        {rows.length === 0 && <p>{t`No matching files. Widen the filter.`}</p>}
      </section>
    </>
  );
}

function Gap({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tr>
      <td className={styles.gap} colSpan={columns} style={{ height: rows * ROW }} />
    </tr>
  );
}

/** Return the range of rows in or near the view of a scrolled box. */
function useWindow(box: React.RefObject<HTMLElement | null>, count: number) {
  const { top, height } = useView(box);
  const start = Math.min(Math.floor(top / ROW), Math.max(0, count - Math.ceil(height / ROW)));
  return {
    first: Math.max(0, start - BEYOND),
    last: Math.min(count, start + Math.ceil(height / ROW) + BEYOND),
    /** Bring a row into view. */
    look: (index: number) => {
      const element = box.current;
      const header = element?.querySelector("thead")?.offsetHeight ?? 0;
      const room = height - header - ROW;
      if (element && index * ROW < element.scrollTop) element.scrollTop = index * ROW;
      else if (element && index * ROW > element.scrollTop + room) element.scrollTop = index * ROW - room;
    },
  };
}

interface FileDetailsProps {
  session: string;
  row: FileRow;
  columns: readonly Column[];
  /** True if the answer may be compared with the references: for a hidden set, no data of single files is shown. */
  compares: boolean;
}

function FileDetails({ session, row, columns, compares }: FileDetailsProps) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const { file } = row;
  return (
    <PageSection id="file-title" title={<Trans>File {row.number}</Trans>}>
      <dl className={parts.facts}>
        <Fact name={<Trans>State</Trans>}>
          {i18n._(stateWord(file.state))}
          <Cause of={file} />
        </Fact>
        {file.handed_out_at && <Fact name={<Trans>Handed out</Trans>} at={file.handed_out_at} />}
        {file.answered_at && (
          <Fact name={<Trans context="moment">Answered</Trans>}>
            <Moment at={file.answered_at} /> · <Trans>send {file.send}</Trans>
          </Fact>
        )}
        {file.content_sha256 && <Fact name={<Trans>SHA-256 of the answer</Trans>} code={file.content_sha256} />}
        {columns.map(({ key, title, kind, places }) => (
          <Fact key={key} name={title[language]}>
            {cellText(row.cells[key], kind, places, language)}
          </Fact>
        ))}
      </dl>
      {file.content_sha256 && (
        <p>
          <Link
            to="/sessions/$sessionId/files/$number/answer"
            params={{ sessionId: session, number: String(row.number) }}
          >
            {t`The answer itself`}
          </Link>
          {compares && (
            <>
              {" · "}
              <Link
                to="/sessions/$sessionId/files/$number/comparison"
                params={{ sessionId: session, number: String(row.number) }}
              >
                {t`Compare with the experts`}
              </Link>
            </>
          )}
        </p>
      )}
    </PageSection>
  );
}

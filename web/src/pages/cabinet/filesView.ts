import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { EVERY, type GetAnswer, get } from "@/api/client";
import { type Cell, type Kind, kindOf, type Unit } from "@/ui/numbers";

type Answer = GetAnswer<"/v1/sessions/{session_id}/report">;
export type ReportBody = Extract<Answer, { sections: unknown }>;
/** Progress of the scoring that a report waits for. */
export type Scoring = Exclude<Answer, ReportBody>;

/** Fetch a report, or the progress of its scoring; poll until the report exists. */
export function useReport(sessionId: string): UseQueryResult<Answer, unknown> {
  return useQuery({
    ...get("/v1/sessions/{session_id}/report", { session_id: sessionId }),
    refetchInterval: ({ state }) => (state.error || (state.data && isReport(state.data)) ? false : EVERY.jobs),
  });
}

export function isReport(answer: Answer): answer is ReportBody {
  return "sections" in answer;
}

/** Sorting, filters and selected file of the files page, as the address's parameters. */
export interface FilesSearch {
  /** A column's key; with "-" before it, in descending order. */
  sort?: string;
  state?: string;
  group?: string;
  /** A part of a file's name. */
  name?: string;
  /** Column whose values the bounds `from` and `to` limit. */
  by?: string;
  from?: number;
  to?: number;
  file?: number;
}

export interface FileRow {
  number: number;
  file: ReportBody["files"][number];
  cells: Readonly<Record<string, Cell>>;
}

export interface Column {
  key: string;
  title: { en: string; ru: string };
  kind: Kind;
  /** Decimals of its fractions. */
  places: number;
}

/** Changed parameters; undefined removes a parameter from the address. */
export type Changed = { [name in keyof FilesSearch]?: FilesSearch[name] | undefined };

const TEXTS = ["sort", "state", "group", "name", "by"] as const;
const NUMBERS = ["from", "to", "file"] as const;
/** Columns of the report's table of files before its values: the file and its type. */
const BEFORE_VALUES = 2;

export function readFilesSearch(search: Record<string, unknown>): FilesSearch {
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  const numbers = NUMBERS.flatMap((name) => {
    const value = search[name];
    return typeof value === "number" && Number.isFinite(value) ? [[name, value]] : [];
  });
  return Object.fromEntries([...texts, ...numbers]) as FilesSearch;
}

/**
 * The columns of values that the report has, in its order. They are named by their place: titles are for people. In a
 * contest of per cents a metric stays one that is whole in all files.
 */
export function valueColumns(report: ReportBody, unit: Unit): Column[] {
  const section = filesSection(report);
  if (!section) return [];
  return section.columns.slice(BEFORE_VALUES).map((title, at) => {
    const place = at + BEFORE_VALUES;
    const cells = section.rows.map((row) => row[place]);
    const kind = kindOf(cells, section.shares?.includes(place) ?? false);
    const places = section.places?.[place] ?? 0;
    return { key: `v${at + 1}`, title, kind: kind === "whole" && unit === "percent" ? "fraction" : kind, places };
  });
}

/** True if the report has data of single files; for a hidden set it has totals only. */
export function tellsFiles(report: ReportBody): boolean {
  return filesSection(report) !== undefined;
}

export function fileRows(report: ReportBody): FileRow[] {
  const values = new Map(filesSection(report)?.rows.map((row) => [row[0] as Cell, row.slice(BEFORE_VALUES) as Cell[]]));
  return report.files.map((file) => {
    const own = values.get(file.file_id) ?? [];
    return {
      number: file.number,
      file,
      cells: {
        number: file.number,
        name: file.file_id,
        group: file.group,
        state: file.state,
        time: file.processing_ms,
        ...Object.fromEntries(own.map((value, at) => [`v${at + 1}`, value])),
      },
    };
  });
}

/** Return the filtered rows, sorted; undefined values come last in either direction. */
export function shownRows(rows: readonly FileRow[], search: FilesSearch): FileRow[] {
  const { state, group, name, by, from, to } = search;
  const within = (value: Cell | undefined) =>
    typeof value === "number" && value >= (from ?? -Infinity) && value <= (to ?? Infinity);
  const matching = rows.filter(
    (row) =>
      (!state || row.file.state === state) &&
      (!group || row.file.group === group) &&
      (!name || row.file.file_id.includes(name)) &&
      (!by || (from === undefined && to === undefined) || within(row.cells[by])),
  );
  const sort = search.sort ?? "number";
  const down = sort.startsWith("-");
  const key = down ? sort.slice(1) : sort;
  return matching.sort((a, b) => order(a.cells[key] ?? null, b.cells[key] ?? null, down) || a.number - b.number);
}

function order(a: Cell, b: Cell, down: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const isText = typeof a === "string" && typeof b === "string";
  const up = isText ? a.localeCompare(b, undefined, { numeric: true }) : a < b ? -1 : Number(a > b);
  return down ? -up : up;
}

function filesSection(report: ReportBody) {
  return report.sections.find((section) => section.key === "files");
}

import { useQuery } from "@tanstack/react-query";
import { EVERY, type GetAnswer, get } from "@/api/client";
import { type Ruler, rulerOf } from "@/charts/Whisker";
import { useMarkOf } from "@/ui/contest";

export type BoardAnswer = GetAnswer<"/v1/leaderboards/qualification">;
export type Row = BoardAnswer["rows"][number];
export type Point = GetAnswer<"/v1/leaderboards/qualification/history">["points"][number];

/** Choice of a board: the qualification's or a final's; whole, of a language, or of a nomination (`nomination:KEY`). */
export interface Which {
  final: boolean;
  by: string;
  run: string | undefined;
  /** Key of a board other than the contest's main one. */
  key?: string | undefined;
}

const NOMINATION = "nomination:";
/** Number of the latest finals that are searched for one with published results. */
const FINALS = 50;

export function partOf(by: string): { nomination: string } | { language: string } {
  return by.startsWith(NOMINATION) ? { nomination: by.slice(NOMINATION.length) } : { language: by };
}

/**
 * True if results of the requested final, or of any, are out; undefined until that is known. Before, its board
 * is not requested: there is none.
 */
export function useFinalIsOut({ final, run }: Pick<Which, "final" | "run">): boolean | undefined {
  const runs = useQuery({ ...get("/v1/runs", { mode: "final", limit: FINALS }, EVERY.board), enabled: final });
  return runs.data?.runs.some(({ run_id, results_published }) => results_published && (!run || run_id === run));
}

/** Query the chosen board and no other; a final's is not requested before its results are out. */
export function useBoard({ final, by, run, key }: Which, isOut = true) {
  const part = partOf(by);
  const language = "language" in part ? part : {};
  const whole = { ...part, ...(run ? { run } : {}) };
  const qualification = useQuery({
    ...get("/v1/leaderboards/qualification", language, EVERY.board),
    enabled: !final && !key,
  });
  const ofFinal = useQuery({ ...get("/v1/leaderboards/final", whole, EVERY.board), enabled: final && !key && isOut });
  const other = useQuery({
    ...get(
      "/v1/boards/{key}",
      { key: key ?? "", of: final ? "final" : "qualification", ...(run ? { run } : {}) },
      EVERY.board,
    ),
    enabled: key !== undefined && (!final || isOut),
  });
  if (key) return other;
  return final ? ofFinal : qualification;
}

/** Return the ruler of a board's rows: its unit, and the barrier, or the people whose level it is. */
export function useBoardRuler({ board, rows }: Pick<BoardAnswer, "board" | "rows">): Ruler {
  const values = rows.flatMap(({ value, interval }) => [value ?? [], interval ?? []].flat());
  return rulerOf([...values, ...board.levels.map((level) => level.value)], board.unit, useMarkOf()(board), board);
}

/** Return a board's part of file names: its key, or for the contest's main board its language. */
export function columnOf({ board, language }: BoardAnswer): string {
  return board.key === "relative_accuracy" ? language : board.key;
}

/** Query the places on the chosen board over time. */
export function useHistory({ final, by, run, key }: Which, isOut = true) {
  const part = partOf(by);
  const other = key ? { key } : {};
  const language = { ...("language" in part ? part : {}), ...other };
  const whole = { ...part, ...(run ? { run } : {}), ...other };
  const qualification = useQuery({
    ...get("/v1/leaderboards/qualification/history", language, EVERY.board),
    enabled: !final,
  });
  const ofFinal = useQuery({ ...get("/v1/leaderboards/final/history", whole, EVERY.board), enabled: final && isOut });
  return final ? ofFinal : qualification;
}

/** Return a team's places over time. */
export function placesOf(points: readonly Point[], team: string): { at: number; place: number }[] {
  return points
    .flatMap((point) =>
      point.places
        .filter((placed) => placed.team_id === team)
        .map(({ place }) => ({ at: Date.parse(point.at), place })),
    )
    .sort((a, b) => a.at - b.at);
}

export type Level = BoardAnswer["board"]["levels"][number];

/** Return a board's rows in their order, with people's levels before the first team that is not above them. */
export function withLevels(rows: readonly Row[], levels: readonly Level[]): (Row | Level)[] {
  const placed: (Row | Level)[] = [...rows];
  for (const level of levels) {
    const at = placed.findIndex((row) => row.value === null || row.value <= level.value);
    placed.splice(at === -1 ? placed.length : at, 0, level);
  }
  return placed;
}

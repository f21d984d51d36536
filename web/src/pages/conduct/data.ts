import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { queryOptions } from "@tanstack/react-query";
import { EVERY, type GetAnswer, get, read, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";

export type Summary = Schemas["RunSummaryBody"];
export type ConductedRun = Schemas["ConductedRunBody"];
export type Watch = Schemas["WatchBody"];
export type WatchedTeam = Schemas["WatchedTeamBody"];
export type Preview = Schemas["PreviewBody"];
export type Decision = Schemas["RunDecisionRequest"];
export type Decided = Schemas["DecidedBody"];
export type Kind = Decision["kind"];
export type Cause = NonNullable<Decision["cause"]>;
export type Settled = Schemas["Settled"];
export type Board = GetAnswer<"/v1/conduct/boards/{board}">;
export type Notice = Schemas["NoticeBody"];

/** Causes that organizers may give a void file. */
export const CAUSES: readonly Cause[] = ["team_late", "team_invalid", "network", "platform", "organizer_decision"];

export const runsQuery = get("/v1/conduct/runs", { limit: 100 }, EVERY.idle);

const path = (runId: string) => ({ run_id: runId });

export const runQuery = (runId: string) => get("/v1/conduct/runs/{run_id}", path(runId), EVERY.live);

/** Query of a live run without retries: a desk without data must show the failure at once. */
export const watchQuery = (runId: string) => ({
  ...get("/v1/conduct/runs/{run_id}/watch", path(runId), EVERY.run),
  retry: false,
});

/** Query of a board's current state; `key` selects a board other than the contest's main one. */
export const boardQuery = (board: string, key?: string) =>
  get("/v1/conduct/boards/{board}", { board, ...(key ? { key } : {}) }, EVERY.board);

export const recomputationQuery = (runId: string) => get("/v1/conduct/runs/{run_id}/shadow", path(runId), EVERY.live);

/** Query of a run's replay; null before it begins, which is not an error: the page then offers to begin it. */
export const replayQuery = (runId: string) =>
  queryOptions({
    queryKey: ["/v1/replays/{run_id}", runId] as const,
    queryFn: async ({ signal }): Promise<Schemas["ReplayBody"] | null> => {
      try {
        return await read("/v1/replays/{run_id}", path(runId), signal);
      } catch (error) {
        if (error instanceof ApiError && error.code === "no_replay") return null;
        throw error;
      }
    },
    refetchInterval: EVERY.live,
  });

/** True if a run takes the teams that organizers admitted to finals: a final that is no trial and names no teams. */
export function takesAdmitted(run: { mode: string; trial: boolean; admitted: string[] | null }): boolean {
  return run.mode === "final" && !run.trial && run.admitted === null;
}

const PART = /^(\d{1,5})(?:\s*[-–]\s*(\d{1,5}))?$/;
const MOST = 2_000;

/** Parse a list such as `3, 5-7` into unique ascending numbers; null if the text is not such a list. */
export function readNumbers(text: string): number[] | null {
  const numbers = new Set<number>();
  for (const part of text.split(/[,;]/)) {
    const [, first, last] = PART.exec(part.trim()) ?? [];
    if (first === undefined) return null;
    const from = Number(first);
    const to = last === undefined ? from : Number(last);
    if (from < 1 || to < from || to - from >= MOST) return null;
    for (let number = from; number <= to; number += 1) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}

/** Format numbers as a list; three or more consecutive ones become a range with a dash. */
export function sayNumbers(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    let end = at;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    const whole = sorted.slice(at, end + 1);
    parts.push(...(whole.length > 2 ? [`${whole[0]}–${whole.at(-1)}`] : whole.map(String)));
    at = end + 1;
  }
  return parts.join(", ");
}

export interface Place {
  row: number;
  column: number;
}

interface CellLook {
  /** Cell's symbol, so that colour alone never carries the meaning. */
  glyph: string;
  look: "waiting" | "coming" | "open" | "answered" | "void" | "ours" | "decided";
  says: MessageDescriptor;
}

/** Appearance of each of the platform's state letters; only files lost by the platform are red. */
export const CELLS: Readonly<Record<string, CellLook>> = {
  ".": { glyph: "·", look: "waiting", says: msg`not open yet` },
  w: { glyph: "○", look: "coming", says: msg`open, not asked for` },
  o: { glyph: "◔", look: "open", says: msg`handed out` },
  a: { glyph: "●", look: "answered", says: msg`answered` },
  l: { glyph: "✕t", look: "void", says: msg`void: the team was late` },
  i: { glyph: "✕i", look: "void", says: msg`void: invalid answer` },
  n: { glyph: "✕n", look: "void", says: msg`void: network` },
  p: { glyph: "✕p", look: "ours", says: msg`void: platform` },
  d: { glyph: "—", look: "decided", says: msg`void by the organizers' decision` },
};

/** Return the range of `count` equally sized items in a scrolled view, with `beyond` more at both ends. */
export function inView(scrolled: number, view: number, size: number, count: number, beyond = 4) {
  const first = Math.max(0, Math.floor(scrolled / size) - beyond);
  return { first: Math.min(first, count), last: Math.min(count, Math.ceil((scrolled + view) / size) + beyond) };
}

/** Return the cell that a key moves to; undefined for a key that does not move. */
export function moved(key: string, from: Place, rows: number, columns: number): Place | undefined {
  const steps: Record<string, Place> = {
    ArrowUp: { row: from.row - 1, column: from.column },
    ArrowDown: { row: from.row + 1, column: from.column },
    ArrowLeft: { row: from.row, column: from.column - 1 },
    ArrowRight: { row: from.row, column: from.column + 1 },
    Home: { row: from.row, column: 0 },
    End: { row: from.row, column: columns - 1 },
    PageUp: { row: from.row, column: from.column - 10 },
    PageDown: { row: from.row, column: from.column + 10 },
  };
  const to = steps[key];
  return to && { row: within(to.row, rows), column: within(to.column, columns) };
}

/** Sort teams by urgency: annulled solutions first, then disconnected teams, then by the share of missed files. */
export function worstFirst(teams: readonly WatchedTeam[]): WatchedTeam[] {
  const weight = (team: WatchedTeam) =>
    (team.solution_voided ? 4 : 0) + (team.connected ? 0 : 2) + (team.voided_share ?? 0);
  return [...teams].sort((a, b) => weight(b) - weight(a) || a.team_id.localeCompare(b.team_id));
}

function within(at: number, count: number): number {
  return Math.max(0, Math.min(count - 1, at));
}

/** Initial values of the plan's form: texts, empty if not filled in; the start in the interface's time format. */
export const NO_PLAN = {
  mode: "final" as "technical" | "final",
  set: "final",
  start: "",
  files: "",
  interval: "",
  language: "all",
  request: "",
  answer: "",
  total: "",
  join: "",
  trial: false,
  admitted: [] as string[],
};
export type Plan = typeof NO_PLAN;

type Sets = Schemas["HeldCycleBody"]["sets"];

/** Return the sets, by name, that a run of this mode may draw from; a trial may draw from any. */
export function setsOf(plan: Plan, sets: Sets): Sets {
  const drawn = Object.entries(sets).filter(([, { runs }]) => plan.trial || runs.includes(plan.mode));
  return Object.fromEntries(drawn);
}

/** Return the plan with a set that its mode may draw from: its own set, or else the first; empty if there is none. */
export function fitted(plan: Plan, sets: Sets): Plan {
  const names = Object.keys(setsOf(plan, sets));
  return names.includes(plan.set) ? plan : { ...plan, set: names[0] ?? "" };
}

const NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const NAME_LENGTH = 20;

/** Return the plan's request for the platform; fields left empty take the cycle's values. */
export function requestOf(plan: Plan, name?: string): Schemas["PlanRequest"] {
  const limits = {
    ...numberField("request_s", plan.request),
    ...numberField("answer_s", plan.answer),
    ...numberField("total_s", plan.total),
    ...numberField("join_s", plan.join),
  };
  return {
    mode: plan.mode,
    set: plan.set,
    starts_at: new Date(plan.start).toISOString(),
    language: plan.language,
    trial: plan.trial,
    limits,
    ...numberField("files", plan.files),
    ...numberField("interval_s", plan.interval),
    ...(plan.admitted.length > 0 ? { admitted: plan.admitted } : {}),
    ...(name ? { run_id: name } : {}),
  };
}

/** Return a new unique run id, so that a plan sent again after a lost response makes only one run. */
export function newName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NAME_LENGTH));
  return [...bytes].map((byte) => NAME_LETTERS[byte % NAME_LETTERS.length]).join("");
}

function numberField<Field extends string>(field: Field, text: string): { [key in Field]?: number } {
  return (text.trim() === "" ? {} : { [field]: Number(text) }) as { [key in Field]?: number };
}

export type Replay = Schemas["ReplayBody"];
export type ReplayRules = Schemas["ReplayRulesBody"];
type Review = Replay["reviews"][number];

/** Next step of a replay: open a round, wait for the running one, close the replay, or nothing. */
type Next =
  | { kind: "open"; round: number }
  | { kind: "running"; round: number; until: string }
  | { kind: "close" }
  | { kind: "closed" };

/** Return the next step; `now` in milliseconds. A round includes its last moment, as on the platform. */
export function nextOf({ results, opened, until, files }: Replay, now: number): Next {
  if (results) return { kind: "closed" };
  if (until !== null && Date.parse(until) >= now) return { kind: "running", round: opened.length, until };
  return opened.length === files.length ? { kind: "close" } : { kind: "open", round: opened.length + 1 };
}

/** Return each clinician's review of a round by name in the lot, in the lot's order; null if there is none. */
export function reviewsOf({ people, reviews }: Replay, round: number): readonly (readonly [string, Review | null])[] {
  const decisions = new Map(
    reviews.filter((review) => review.round === round).map((review) => [review.person, review]),
  );
  return people.map(({ name }) => [name, decisions.get(name) ?? null] as const);
}

export type Rescoring = Schemas["RescoringBody"];
export type Details = Schemas["RescoringDetailsBody"];

export const DECIDED: Record<Rescoring["state"], MessageDescriptor> = {
  open: msg`not decided`,
  accepted: msg`accepted`,
  discarded: msg`discarded`,
};

export const MODE_NAMES = {
  algorithmic: msg`algorithmic sessions`,
  technical: msg`technical sessions`,
  answers: msg`files of answers`,
  program: msg`programs`,
} satisfies Record<NonNullable<Schemas["RescoringRequest"]["mode"]>, MessageDescriptor>;

type ModeName = keyof typeof MODE_NAMES;

/** Initial values of the form that selects sessions and submissions to rescore; empty fields do not restrict. */
export const NO_SELECTION = { run: "", mode: "", set: "", team: "", since: "", until: "", version: "" };
export type Selection = typeof NO_SELECTION;

/** Return the rescoring request for a selection. */
export function selected(selection: Selection, reason: string): Schemas["RescoringRequest"] {
  return {
    reason,
    sessions: [],
    ...(selection.run ? { run_id: selection.run } : {}),
    ...(selection.mode in MODE_NAMES ? { mode: selection.mode as ModeName } : {}),
    ...(selection.set ? { set: selection.set } : {}),
    ...(selection.team ? { team_id: selection.team } : {}),
    ...(selection.since ? { since: selection.since } : {}),
    ...(selection.until ? { until: selection.until } : {}),
    ...(selection.version ? { parameters_version: Number(selection.version) } : {}),
  };
}

/** Names of the figures that contests compute for a session. */
const FIGURES: Readonly<Record<string, MessageDescriptor>> = {
  algorithm_accuracy: msg`STAR, %`,
  algorithm_accuracy_all: msg`STAR over all essays with an expert markup, %`,
  algorithm_essays: msg`Essays of STAR over all`,
  essays: msg`Essays of OTAR`,
  expert_accuracy: msg`STER, %`,
  relative_accuracy: msg`OTAR, %`,
  answered: msg`Answered`,
  files: msg`Files`,
  items: msg`Items`,
  complete: msg`Complete variants`,
  grade_norm: msg`grade_norm`,
  scored: msg`Scored`,
  voided: msg`Void`,
  right: msg`Right`,
  beta: msg`β of the F-measure`,
  s: msg`S, sum of the four`,
  smin: msg`Smin`,
  sk: msg`Sk`,
  tp: msg`True positives`,
  fp: msg`False positives`,
  fn: msg`False negatives`,
  precision: msg`Precision`,
  recall: msg`Recall`,
  f: msg`F-measure`,
};

const GROUPS: Readonly<Record<string, MessageDescriptor>> = {
  correction: msg`Correction`,
  span: msg`Detection, spans`,
  token: msg`Detection, tokens`,
  concentrated: msg`Context-dependent`,
  missed_as_zero: msg`Missed files as zero`,
};

/** Return a result figure's name, preceded by its group's name, if any; unknown figures and groups by their key. */
export function figureWords(key: string): readonly MessageDescriptor[] {
  const [group, name] = key.includes(".") ? key.split(".", 2) : [undefined, key];
  const word = FIGURES[name as string] ?? msg`${name}`;
  return group === undefined ? [word] : [GROUPS[group] ?? msg`${group}`, word];
}

type StepName = "ended" | "record" | "markups" | "scores" | "board" | "recomputed" | "published";
type StepState = "done" | "now" | "stopped" | "later";

export interface Step {
  name: StepName;
  state: StepState;
}

const ORDER: readonly StepName[] = ["ended", "record", "markups", "scores", "board", "recomputed", "published"];

/** Current step of a final, by its settlement state; null if it is published. */
const AT: Record<Settled, StepName | null> = {
  running: "ended",
  making_record: "record",
  no_results: "markups",
  waiting_for_markups: "markups",
  scoring: "scores",
  making_board: "board",
  verifying: "recomputed",
  differences_found: "recomputed",
  ready: "published",
  published: null,
};

export const STEPS: Record<StepName, MessageDescriptor> = {
  ended: msg`Every session is closed`,
  record: msg`The record is made and signed`,
  markups: msg`The experts' markups are imported`,
  scores: msg`Every answer is scored`,
  board: msg`The teams' results and the board are made`,
  recomputed: msg`Everything is recomputed independently without a difference`,
  published: msg`The results are published`,
};

/** Return the steps from a final to its publication, in order. A run without results ends with its record. */
export function stepsOf(settled: Settled): Step[] {
  const names = settled === "no_results" ? ORDER.slice(0, 2) : ORDER;
  const at = AT[settled];
  const now = at === null ? ORDER.length : ORDER.indexOf(at);
  return names.map((name, index) => {
    if (index < now) return { name, state: "done" };
    if (index > now) return { name, state: "later" };
    return { name, state: settled === "differences_found" ? "stopped" : "now" };
  });
}

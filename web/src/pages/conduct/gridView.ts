import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { WatchedTeam } from "./data";

export interface Place {
  row: number;
  column: number;
}

export interface CellLook {
  /** What stands in the cell: colour never tells alone. */
  glyph: string;
  /** The style's class. */
  look: "waiting" | "coming" | "open" | "answered" | "void" | "ours" | "decided";
  says: MessageDescriptor;
}

/** How each letter of the platform's is shown; red is only what the platform lost. */
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

/** Which of `count` things of one size stand in a scrolled view, and some beyond its ends. */
export function inView(scrolled: number, view: number, size: number, count: number, beyond = 4) {
  const first = Math.max(0, Math.floor(scrolled / size) - beyond);
  return { first: Math.min(first, count), last: Math.min(count, Math.ceil((scrolled + view) / size) + beyond) };
}

/** Where a key leads from a cell; undefined for a key that moves nothing. */
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

/** The teams with most to look at first: annulled ones, those away, then by the share that they missed. */
export function worstFirst(teams: readonly WatchedTeam[]): WatchedTeam[] {
  const weight = (team: WatchedTeam) =>
    (team.solution_voided ? 4 : 0) + (team.connected ? 0 : 2) + (team.voided_share ?? 0);
  return [...teams].sort((a, b) => weight(b) - weight(a) || a.team_id.localeCompare(b.team_id));
}

function within(at: number, count: number): number {
  return Math.max(0, Math.min(count - 1, at));
}

import type { Schemas } from "@/api/client";

type Record_ = Schemas["Record"];
type Amendment = Schemas["AmendmentStatement"];

/** All pauses of a run together; one that nobody ends ends by itself then (docs/fairness.md, "Openings"). */
const ALL_PAUSES_MS = 7_200_000;

export interface Plan {
  amendment: number;
  /** The root that was promised for the rows. */
  root: string;
  rows: Schemas["RecordRow"][];
  first: number;
  startsMs: number;
  stepMs: number;
  /** Files that a decision appended and another took back before anybody saw them. */
  unseen: boolean;
}

/** The first plan and one for every replacement, with what was promised of each. */
export function planned(record: Record_): Plan[] {
  const told = record.commitment.statement;
  const decisions = decisionsOf(record);
  const undone = undoneBy(decisions);
  const place = (amendment: number, root: string, first: number, slot: number): Plan => {
    const rows = record.plans.find((plan) => plan.amendment === amendment)?.rows;
    return {
      amendment,
      root,
      rows: rows ?? [],
      first,
      startsMs: Date.parse(told.starts_at) + slot * told.interval_ms,
      stepMs: told.interval_ms,
      unseen: rows === undefined && undone.has(amendment),
    };
  };
  const replaced = decisions.flatMap((each) =>
    each.amendment === "replace" && "root" in each.details
      ? [place(each.number, each.details.root, each.details.first, each.details.slot)]
      : [],
  );
  return [place(0, told.root, 1, 0), ...replaced];
}

/** When every file of the record's releases opens by the commitment and the decisions. */
export function dueOpenings(record: Record_): Map<number, number> {
  const pauses = pausesOf(decisionsOf(record));
  const slots = planned(record).flatMap((plan) =>
    plan.rows.map((_, at): [number, number] => [plan.first + at, plan.startsMs + at * plan.stepMs]),
  );
  return new Map(slots.map(([number, at]) => [number, shifted(at, pauses)]));
}

interface Pause {
  from: number;
  until: number;
}

function shifted(at: number, pauses: readonly Pause[]): number {
  return pauses.reduce((opening, { from, until }) => (opening >= from ? opening + until - from : opening), at);
}

function pausesOf(decisions: readonly Amendment[]): Pause[] {
  const undone = undoneBy(decisions);
  const pauses: Pause[] = [];
  for (const each of decisions.filter((one) => !undone.has(one.number)).sort(byEffect)) {
    const at = Date.parse(each.effective_at);
    const last = pauses[pauses.length - 1];
    if (each.amendment === "pause" && (!last || at >= last.until)) {
      const spent = pauses.reduce((sum, { from, until }) => sum + until - from, 0);
      pauses.push({ from: at, until: at + ALL_PAUSES_MS - spent });
    } else if (each.amendment === "resume" && last && at < last.until) {
      last.until = at;
    }
  }
  return pauses;
}

function byEffect(a: Amendment, b: Amendment): number {
  return Date.parse(a.effective_at) - Date.parse(b.effective_at) || a.number - b.number;
}

function decisionsOf(record: Record_): Amendment[] {
  return record.amendments.map((each) => each.amendment);
}

function undoneBy(decisions: readonly Amendment[]): Set<number> {
  return new Set(
    decisions.flatMap((each) =>
      each.amendment === "undo" && "amendment" in each.details ? [each.details.amendment] : [],
    ),
  );
}

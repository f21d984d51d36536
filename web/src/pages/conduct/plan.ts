import type { Schemas } from "@/api/client";

export type PlanRequest = Schemas["PlanRequest"];

/** A plan as its form has it: texts, empty where nothing was said. */
export interface Plan {
  mode: "technical" | "final";
  set: string;
  /** The reader's own clock, as a field of date and time gives it. */
  start: string;
  files: string;
  interval: string;
  language: string;
  request: string;
  answer: string;
  total: string;
  join: string;
  trial: boolean;
  admitted: readonly string[];
}

export const NO_PLAN: Plan = {
  mode: "final",
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
  admitted: [],
};

type Sets = Schemas["HeldCycleBody"]["sets"];

/** The sets that a run of this kind may draw from, by name; a trial may draw from any. */
export function setsOf(plan: Plan, sets: Sets): Sets {
  const drawn = Object.entries(sets).filter(([, { runs }]) => plan.trial || runs.includes(plan.mode));
  return Object.fromEntries(drawn);
}

/** The plan with a set that its kind of run may draw from: the one it names, or the first; none where there is none. */
export function fitted(plan: Plan, sets: Sets): Plan {
  const names = Object.keys(setsOf(plan, sets));
  return names.includes(plan.set) ? plan : { ...plan, set: names[0] ?? "" };
}

const NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const NAME_LENGTH = 20;

/** What the form says, for the platform: what was left empty is the cycle's. */
export function requestOf(plan: Plan, name?: string): PlanRequest {
  const limits = {
    ...said("request_s", plan.request),
    ...said("answer_s", plan.answer),
    ...said("total_s", plan.total),
    ...said("join_s", plan.join),
  };
  return {
    mode: plan.mode,
    set: plan.set,
    starts_at: new Date(plan.start).toISOString(),
    language: plan.language,
    trial: plan.trial,
    limits,
    ...said("files", plan.files),
    ...said("interval_s", plan.interval),
    ...(plan.admitted.length > 0 ? { admitted: [...plan.admitted] } : {}),
    ...(name ? { run_id: name } : {}),
  };
}

/** A run's name that nobody has: whoever sends the same plan twice, because no answer came, plans one run. */
export function newName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NAME_LENGTH));
  return [...bytes].map((byte) => NAME_LETTERS[byte % NAME_LETTERS.length]).join("");
}

function said<Field extends string>(field: Field, text: string): { [key in Field]?: number } {
  return (text.trim() === "" ? {} : { [field]: Number(text) }) as { [key in Field]?: number };
}

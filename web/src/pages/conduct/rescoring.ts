import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Schemas } from "@/api/client";

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

export const MODES = Object.keys(MODE_NAMES) as ModeName[];

function isMode(name: string): name is ModeName {
  return name in MODE_NAMES;
}

/** Which sessions and submissions are to be scored anew, as the form has it; empty where nothing was said. */
export interface Selection {
  run: string;
  mode: string;
  set: string;
  team: string;
  since: string;
  until: string;
  version: string;
}

export const NO_SELECTION: Selection = { run: "", mode: "", set: "", team: "", since: "", until: "", version: "" };

/** The platform's request for a selection. */
export function selected(said: Selection, reason: string): Schemas["RescoringRequest"] {
  return {
    reason,
    sessions: [],
    ...(said.run ? { run_id: said.run } : {}),
    ...(isMode(said.mode) ? { mode: said.mode } : {}),
    ...(said.set ? { set: said.set } : {}),
    ...(said.team ? { team_id: said.team } : {}),
    ...(said.since ? { since: said.since } : {}),
    ...(said.until ? { until: said.until } : {}),
    ...(said.version ? { parameters_version: Number(said.version) } : {}),
  };
}

/** What contests count in a session, in words. */
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

/** Groups of figures of one result. */
const GROUPS: Readonly<Record<string, MessageDescriptor>> = {
  correction: msg`Correction`,
  span: msg`Detection, spans`,
  token: msg`Detection, tokens`,
  concentrated: msg`Context-dependent`,
  missed_as_zero: msg`Missed files as zero`,
};

/** What a figure of a result is called, behind its group's name where it is in one; what is not known here by its key. */
export function figureWords(key: string): readonly MessageDescriptor[] {
  const [group, name] = key.includes(".") ? key.split(".", 2) : [undefined, key];
  const word = FIGURES[name as string] ?? msg`${name}`;
  return group === undefined ? [word] : [GROUPS[group] ?? msg`${group}`, word];
}

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Schemas } from "@/api/client";
import { AMENDMENTS } from "@/pages/public/Amendments";
import { CAUSES } from "@/ui/contest";

export type Status = Schemas["StatusBody"];
export type SessionBody = Schemas["SessionBody"];
export type Delivery = Schemas["DeliveryBody"];
export type Cause = NonNullable<Delivery["cause"]>;

/** The platform's codes in words; one that is not here is shown as it is. */
const STATES: Readonly<Record<string, MessageDescriptor>> = {
  waiting: msg`waiting`,
  open: msg`open`,
  answered: msg`answered`,
  voided: msg`void`,
  finished: msg`finished`,
  timed_out: msg`closed by time-out`,
  aborted: msg`aborted by the team`,
  stopped: msg`stopped by the organizers`,
  accepted: msg`accepted`,
  ignored: msg`ignored`,
};

const MODES: Readonly<Record<string, MessageDescriptor>> = {
  algorithmic: msg`algorithmic`,
  technical: msg`technical`,
  training: msg({ message: "training", context: "mode" }),
  "estimated-training": msg`estimated training`,
  final: msg({ message: "final", context: "mode" }),
};

const STANDINGS: Readonly<Record<string, MessageDescriptor>> = {
  annulled: msg`annulled`,
  not_ready: msg`not ready: the report's conditions are not met`,
  rejected: msg({ message: "rejected", context: "conclusion" }),
  awaits_judges: msg`awaits the judges`,
  awaits_commission: msg`awaits the commission`,
  verified: msg`verified`,
};

const KINDS: Readonly<Record<string, MessageDescriptor>> = {
  training: msg`training`,
  test: msg`test`,
  final: msg`final`,
  reserve: msg`reserve`,
};

const DECISIONS: Readonly<Record<string, MessageDescriptor>> = { ...AMENDMENTS, rule: msg`A ruling on causes` };

function wordOf(words: Readonly<Record<string, MessageDescriptor>>) {
  return (code: string): MessageDescriptor => words[code] ?? msg`${code}`;
}

export const stateWord = wordOf(STATES);
export const causeWord = wordOf(CAUSES);
export const modeWord = wordOf(MODES);
export const standingWord = wordOf(STANDINGS);
export const amendmentWord = wordOf(DECISIONS);
export const setKindWord = wordOf(KINDS);

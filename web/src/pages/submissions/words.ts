import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { GetAnswer, Schemas } from "@/api/client";

export type Submission = Schemas["SubmissionBody"];
export type Line = Schemas["SubmissionLine"];
export type State = Submission["state"];
export type Cause = NonNullable<Submission["cause"]>;
export type Kind = Submission["kind"];
export type Reason = Schemas["SubmissionReason"];
type ReportAnswer = GetAnswer<"/v1/submissions/{submission_id}/report">;
export type Report = Extract<ReportAnswer, { counts: unknown }>;

/** What a submission is, and what comes next. */
export const STATES: Readonly<Record<State, MessageDescriptor>> = {
  uploading: msg`being uploaded`,
  checking: msg`being checked`,
  refused: msg`refused`,
  queued: msg`waits for a machine`,
  running: msg`runs`,
  scoring: msg`being scored`,
  scored: msg`scored`,
  failed: msg`failed`,
};

/** Of a failed one (F-4): what happened, and what its team can do. */
export const CAUSES: Readonly<Record<Cause, { word: MessageDescriptor; advice: MessageDescriptor }>> = {
  image: {
    word: msg`the image could not be taken`,
    advice: msg`Check the image's name in metadata.json, that everybody may pull it, and its size.`,
  },
  exit_code: {
    word: msg`the program ended with an error`,
    advice: msg`Its log has its last words. Try it with the same image on your machine, then submit again.`,
  },
  timeout: {
    word: msg`the time was over`,
    advice: msg`The program did not end within the time of its contest. Make it faster, or let it answer fewer subtasks.`,
  },
  out_of_memory: {
    word: msg`out of memory`,
    advice: msg`Load the model once, in a smaller form, or read the inputs piece by piece.`,
  },
  no_output: {
    word: msg`no output`,
    advice: msg`The program wrote none of the files that were asked for into output/. Check their names.`,
  },
  bad_output: {
    word: msg`no output that can be scored`,
    advice: msg`Files are there, but none of them has the form that the contest asks for.`,
  },
  platform: {
    word: msg`the platform failed`,
    advice: msg`This counts nowhere. The organizers can have it run again; you need not submit anew.`,
  },
};

export const KINDS: Readonly<Record<Kind, MessageDescriptor>> = {
  answers: msg`a file of answers`,
  program: msg`a program`,
};

const WAYS: Readonly<Record<Kind, readonly State[]>> = {
  answers: ["uploading", "checking", "scoring", "scored"],
  program: ["uploading", "checking", "queued", "running", "scoring", "scored"],
};

/** Every state on a submission's way, to where it went. */
export function wayOf({ kind, state }: Pick<Submission, "kind" | "state">): readonly State[] {
  const way = WAYS[kind];
  if (state === "refused") return ["uploading", "checking", "refused"];
  return state === "failed" ? [...way.slice(0, -1), "failed"] : way;
}

const OVER: readonly State[] = ["refused", "scored", "failed"];

/** Whether nothing more becomes of it by itself. */
export function isOver(state: State): boolean {
  return OVER.includes(state);
}

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { EVERY, type GetAnswer, get, listed, post, read, type Schemas } from "@/api/client";
import type { Language } from "@/i18n/i18n";
import { type Key, signatureVerdict, type Verdict } from "@/pages/cabinet/words";
import { canonical, type Json } from "@/verify/canonical";

export type Submission = Schemas["SubmissionBody"];
/** Title of a page of one submission, by its id, and the component that shows it. */
export interface SubmissionPageProps {
  title: (submissionId: string) => string;
  of: ComponentType<{ submission: Submission }>;
}
export type Line = Schemas["SubmissionLine"];
export type State = Submission["state"];
type Cause = NonNullable<Submission["cause"]>;
export type Kind = Submission["kind"];
export type Reason = Schemas["SubmissionReason"];
export type Report = Extract<GetAnswer<"/v1/submissions/{submission_id}/report">, { counts: unknown }>;

/** Names of a submission's states: the step under way, the next one, or the outcome. */
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

/** Causes of a submission's failure (F-4): what happened, and what its team can do. */
export const CAUSES: Readonly<Record<Cause, { word: MessageDescriptor; advice: MessageDescriptor }>> = {
  image: {
    word: msg`the image could not be pulled`,
    advice: msg`Check the image's name in metadata.json, its size, and that it can be pulled without signing in.`,
  },
  exit_code: {
    word: msg`the program ended with an error`,
    advice: msg`Its log has its last output. Try it with the same image on your machine, then submit again.`,
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
    advice: msg`The program wrote none of the required files into output/. Check their names.`,
  },
  bad_output: {
    word: msg`no output that can be scored`,
    advice: msg`Files are there, but none of them has the form that the contest asks for.`,
  },
  platform: {
    word: msg`the platform failed`,
    advice: msg`This does not count. The organizers can run it again; you need not submit again.`,
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

/** Return every state on a submission's way, up to its outcome. */
export function wayOf({ kind, state }: Pick<Submission, "kind" | "state">): readonly State[] {
  const way = WAYS[kind];
  if (state === "refused") return ["uploading", "checking", "refused"];
  return state === "failed" ? [...way.slice(0, -1), "failed"] : way;
}

const OVER: readonly State[] = ["refused", "scored", "failed"];

/** True if the submission does not change by itself any more. */
export function isOver(state: State): boolean {
  return OVER.includes(state);
}

const STEP = 1024;
const UNITS = { en: ["bytes", "KiB", "MiB", "GiB"], ru: ["байт", "КиБ", "МиБ", "ГиБ"] } as const;

/** Format a number of bytes in the unit in which it is at least one, with up to one decimal. */
export function bytesText(bytes: number, language: Language): string {
  const at = Math.max(0, Math.min(UNITS.en.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP))));
  const digits = { maximumFractionDigits: at === 0 ? 0 : 1 };
  return `${new Intl.NumberFormat(language, digits).format(bytes / STEP ** at)} ${UNITS[language][at]}`;
}

const PAGE = 50;

/** Return the query of a submission; it is polled while it is on its way. */
export const submissionQuery = (submissionId: string) => ({
  ...get("/v1/submissions/{submission_id}", { submission_id: submissionId }),
  refetchInterval: ({ state }: { state: { data?: Submission | undefined } }) => {
    const now = state.data?.state ?? "uploading";
    return now === "uploading" || isOver(now) ? EVERY.idle : EVERY.live;
  },
});

/** Query submissions, the newest first, a page at a time: the team's own, or all teams'. */
export function useSubmissions(path: "/v1/submissions" | "/v1/conduct/submissions") {
  return useInfiniteQuery(listed(path, { limit: PAGE }, EVERY.live));
}

/** Query a submission's report once it is scored; it never changes. */
export function useReport(submissionId: string, isScored: boolean) {
  const params = { submission_id: submissionId };
  return useQuery({ ...get("/v1/submissions/{submission_id}/report", params), enabled: isScored });
}

export function isReport(answer: GetAnswer<"/v1/submissions/{submission_id}/report">): answer is Report {
  return "counts" in answer;
}

export interface CheckedReceipt {
  receipt: Receipt;
  signature: string;
  keys: readonly Key[];
  verdict: SubmissionVerdict;
}

/** A handed-in submission's receipt, checked here: handing in twice gives the same receipt and does nothing else. */
export async function checkedReceipt(submission: Submission): Promise<CheckedReceipt> {
  const [{ receipt, signature }, { keys }] = await Promise.all([
    post("/v1/submissions/{submission_id}/complete", { submission_id: submission.submission_id }),
    read("/v1/keys", {}),
  ]);
  return { receipt, signature, keys, verdict: await receiptVerdict(receipt, signature, submission, keys) };
}

/** The receipt with the keys that check it, as a file; what is signed is `receipt` in canonical JSON. */
export function receiptFile({ receipt, signature, keys }: CheckedReceipt): Blob {
  return new Blob([`${JSON.stringify({ receipt, signature, keys }, null, 1)}\n`], { type: "application/json" });
}

type Receipt = Schemas["SubmissionReceipt"];

/** `other_file`: the signature is the platform's, of another submission or another file than the page shows. */
export type SubmissionVerdict = Exclude<Verdict, "bad_times"> | "other_file";

/** Return the verdict on a receipt: whether the platform signed it, for this submission and this file. */
export async function receiptVerdict(
  receipt: Receipt,
  signature: string,
  of: Pick<Submission, "submission_id" | "sha256" | "bytes">,
  keys: readonly Key[],
): Promise<SubmissionVerdict> {
  const verdict = await signatureVerdict(receipt.key_id, canonical(receipt as unknown as Json), signature, keys);
  const isOfIt =
    receipt.submission_id === of.submission_id && receipt.content_sha256 === of.sha256 && receipt.bytes === of.bytes;
  return verdict === "good" && !isOfIt ? "other_file" : verdict;
}

import type { Schemas } from "@/api/client";
import { type Key, signatureVerdict, type Verdict } from "@/pages/cabinet/receiptText";
import { canonical, type Json } from "@/verify/canonical";
import type { Submission } from "./words";

export type Receipt = Schemas["SubmissionReceipt"];

/** `other_file`: the signature is the platform's, of another submission or another file than the page shows. */
export type SubmissionVerdict = Exclude<Verdict, "bad_times"> | "other_file";

/** Whether the platform signed it, and whether it is of this submission and of this file. */
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

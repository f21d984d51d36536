import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Schemas } from "@/api/client";
import { DECISIONS } from "@/pages/public/Runs";
import { CAUSES } from "@/ui/contest";
import { fromBase64, hex, sha256 } from "@/verify/canonical";
import { isSignedBy } from "@/verify/signature";

export type Status = Schemas["StatusBody"];
export type SessionBody = Schemas["SessionBody"];
export type Delivery = Schemas["DeliveryBody"];

/** Wordings of the platform's codes; a code without one is shown as the code. */
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

function wordOf(words: Readonly<Record<string, MessageDescriptor>>) {
  return (code: string): MessageDescriptor => words[code] ?? msg`${code}`;
}

export const stateWord = wordOf(STATES);
export const causeWord = wordOf(CAUSES);
export const modeWord = wordOf(MODES);
export const standingWord = wordOf(STANDINGS);
export const amendmentWord = wordOf(DECISIONS);
export const setKindWord = wordOf(KINDS);

export type Key = Schemas["KeyBody"];
export type Receipt = Schemas["ReceiptBody"]["receipt"];

/** A receipt with the exact characters that the platform signed: re-serialized JSON could differ from them. */
export interface SignedReceipt {
  receipt: Receipt;
  signed: string;
  signature: string;
  /** The whole receipt as received, for storing. */
  raw: string;
}

export type Verdict = "good" | "unknown_key" | "bad_signature" | "bad_times" | "not_here";

// Inside a JSON string every quotation mark is escaped, so no text within a receipt can match this.
const ONE = /\{"receipt":(\{[^{}]*\}),"signature":"([A-Za-z0-9+/=]+)"\}/g;

/** Return the receipts in an answer of `GET /v1/sessions/{session_id}/receipts`; throw if it holds any others. */
export function signedReceipts(text: string): { receipts: SignedReceipt[]; next: string | null } {
  const body = JSON.parse(text) as Schemas["ReceiptsBody"];
  const receipts = Array.from(text.matchAll(ONE), ([raw, signed = "", signature = ""]) => ({
    receipt: JSON.parse(signed) as Receipt,
    signed,
    signature,
    raw,
  }));
  if (receipts.length !== body.receipts.length) throw new Error("the answer's receipts cannot be told apart");
  return { receipts, next: body.next };
}

/** Return the verdict on a receipt: its signature by one of the platform's keys, and the order of its times. */
export async function verdictOn({ receipt, signed, signature }: SignedReceipt, keys: readonly Key[]): Promise<Verdict> {
  const verdict = await signatureVerdict(receipt.key_id, new TextEncoder().encode(signed), signature, keys);
  return verdict === "good" && receipt.decided_at < receipt.received_at ? "bad_times" : verdict;
}

/** Return the verdict on a signature of these bytes by the key with this id, which must be one of the platform's. */
export async function signatureVerdict(
  keyId: string,
  signed: Uint8Array<ArrayBuffer>,
  signature: string,
  keys: readonly Key[],
): Promise<Exclude<Verdict, "bad_times">> {
  const signer = keys.find((key) => key.key_id === keyId);
  if (!signer) return "unknown_key";
  const bytes = fromBase64(signer.public_key);
  if (!hex(await sha256(bytes)).startsWith(signer.key_id)) return "unknown_key";
  try {
    return (await isSignedBy(signer.algorithm, bytes, fromBase64(signature), signed)) ? "good" : "bad_signature";
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") return "not_here";
    throw error;
  }
}

/** Return receipts and keys as one JSON file, every receipt as received. */
export function bundle(receipts: readonly SignedReceipt[], keys: readonly Key[]): string {
  return `{"keys":${JSON.stringify(keys)},"receipts":[\n${receipts.map(({ raw }) => raw).join(",\n")}\n]}\n`;
}

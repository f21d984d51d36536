import type { Schemas } from "@/api/client";
import { fromBase64, hex, sha256 } from "@/verify/canonical";

export type Key = Schemas["KeyBody"];
export type Receipt = Schemas["ReceiptBody"]["receipt"];

/** A receipt with the very characters that the platform signed: JSON written again could differ from them. */
export interface SignedReceipt {
  receipt: Receipt;
  signed: string;
  signature: string;
  /** The whole of it as it came, for keeping. */
  raw: string;
}

export type Verdict = "good" | "unknown_key" | "bad_signature" | "bad_times" | "not_here";

// Inside a JSON string every quotation mark is escaped, so nothing that is said in a receipt looks like this.
const ONE = /\{"receipt":(\{[^{}]*\}),"signature":"([A-Za-z0-9+/=]+)"\}/g;

/** The receipts in an answer of `GET /v1/sessions/{session_id}/receipts`; throws when it holds others than these. */
export function signedReceipts(text: string): { receipts: SignedReceipt[]; next: string | null } {
  const told = JSON.parse(text) as Schemas["ReceiptsBody"];
  const receipts = Array.from(text.matchAll(ONE), ([raw, signed = "", signature = ""]) => ({
    receipt: JSON.parse(signed) as Receipt,
    signed,
    signature,
    raw,
  }));
  if (receipts.length !== told.receipts.length) throw new Error("the answer's receipts cannot be told apart");
  return { receipts, next: told.next };
}

/** Whether the platform signed a receipt, by a key that is its own by name, and whether its times can be. */
export async function verdictOn({ receipt, signed, signature }: SignedReceipt, keys: readonly Key[]): Promise<Verdict> {
  const verdict = await signatureVerdict(receipt.key_id, new TextEncoder().encode(signed), signature, keys);
  return verdict === "good" && receipt.decided_at < receipt.received_at ? "bad_times" : verdict;
}

/** Whether the key of this name signed these bytes, and is the platform's. */
export async function signatureVerdict(
  keyId: string,
  signed: Uint8Array<ArrayBuffer>,
  signature: string,
  keys: readonly Key[],
): Promise<Exclude<Verdict, "bad_times">> {
  const told = keys.find((key) => key.key_id === keyId);
  if (!told) return "unknown_key";
  const bytes = fromBase64(told.public_key);
  if (!hex(await sha256(bytes)).startsWith(told.key_id)) return "unknown_key";
  const key = await ed25519(bytes);
  if (!key) return "not_here";
  return (await crypto.subtle.verify("Ed25519", key, fromBase64(signature), signed)) ? "good" : "bad_signature";
}

/** null in a browser that knows no Ed25519. */
async function ed25519(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") return null;
    throw error;
  }
}

/** Receipts and keys in one file, every receipt as it came. */
export function bundle(receipts: readonly SignedReceipt[], keys: readonly Key[]): string {
  return `{"keys":${JSON.stringify(keys)},"receipts":[\n${receipts.map(({ raw }) => raw).join(",\n")}\n]}\n`;
}

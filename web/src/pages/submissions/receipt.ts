import { api, type Schemas } from "@/api/client";
import type { Key } from "@/pages/cabinet/receiptText";
import { type Receipt, receiptVerdict, type SubmissionVerdict } from "./verdict";
import type { Submission } from "./words";

export interface CheckedReceipt {
  receipt: Receipt;
  signature: string;
  keys: readonly Key[];
  verdict: SubmissionVerdict;
}

/** A handed-in submission's receipt, checked here: handing in twice gives the same receipt and does nothing else. */
export async function checkedReceipt(of: Submission): Promise<CheckedReceipt> {
  const params = { path: { submission_id: of.submission_id } };
  const [told, known] = await Promise.all([
    api.POST("/v1/submissions/{submission_id}/complete", { params }),
    api.GET("/v1/keys"),
  ]);
  const { receipt, signature } = told.data as Schemas["CompletedBody"];
  const keys = known.data?.keys ?? [];
  return { receipt, signature, keys, verdict: await receiptVerdict(receipt, signature, of, keys) };
}

/** The receipt with the keys that check it, as a file; what is signed is `receipt` in canonical JSON. */
export function receiptFile({ receipt, signature, keys }: CheckedReceipt): Blob {
  return new Blob([`${JSON.stringify({ receipt, signature, keys }, null, 1)}\n`], { type: "application/json" });
}

import { generateKeyPairSync, sign } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hex, sha256 } from "@/verify/canonical";
import { bundle, signedReceipts, verdictOn } from "./words";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const keyId = hex(await sha256(new Uint8Array(raw))).slice(0, 16);
const ALWAYS = { valid_from: null, valid_until: null };
const KEYS = [{ key_id: keyId, algorithm: "Ed25519" as const, public_key: raw.toString("base64"), ...ALWAYS }];

function answerOf(fileIds: readonly string[], times = ["2026-01-01", "2026-01-01"]): string {
  const receipts = fileIds.map((file_id) => {
    const receipt = JSON.stringify({ decided_at: times[1], file_id, key_id: keyId, received_at: times[0] });
    const signature = sign(null, Buffer.from(receipt), privateKey).toString("base64");
    return `{"receipt":${receipt},"signature":"${signature}"}`;
  });
  return `{"receipts":[${receipts.join(",")}],"next":null}`;
}

test("whatever a receipt says, its signed bytes are found and verify", async () => {
  const names = fc.array(fc.string({ unit: "grapheme" }).filter((name) => !/[{}]/.test(name)));
  await fc.assert(
    fc.asyncProperty(names, async (fileIds) => {
      const { receipts } = signedReceipts(answerOf(fileIds));
      expect(receipts.map(({ receipt }) => receipt.file_id)).toEqual(fileIds);
      for (const signed of receipts) expect(await verdictOn(signed, KEYS)).toBe("good");
      expect(JSON.parse(bundle(receipts, KEYS)).receipts).toEqual(JSON.parse(answerOf(fileIds)).receipts);
    }),
    { numRuns: 30 },
  );
});

test("a receipt that was altered, an unknown key and impossible times show", async () => {
  const [one] = signedReceipts(answerOf(["a"])).receipts;
  if (!one) throw new Error("no receipt");
  expect(await verdictOn({ ...one, signed: one.signed.replace('"a"', '"b"') }, KEYS)).toBe("bad_signature");
  expect(await verdictOn(one, [])).toBe("unknown_key");
  expect(await verdictOn(one, [{ ...(KEYS[0] as (typeof KEYS)[0]), public_key: btoa("x".repeat(32)) }])).toBe(
    "unknown_key",
  );
  const [late] = signedReceipts(answerOf(["a"], ["2026-01-02", "2026-01-01"])).receipts;
  expect(late && (await verdictOn(late, KEYS))).toBe("bad_times");
});

test("an answer in another form is refused instead of shown in part", () => {
  expect(() => signedReceipts('{"receipts":[{"signature":"x","receipt":{}}],"next":null}')).toThrow();
});

import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { canonical, hex, sha256 } from "@/verify/canonical";
import { bytesText, isOver, receiptVerdict, STATES, type State, wayOf } from "./words";

test("every state of either kind stands on the way that is shown of it", () => {
  for (const kind of ["answers", "program"] as const) {
    for (const state of Object.keys(STATES) as State[]) {
      const way = wayOf({ kind, state });
      if (kind === "answers" && ["queued", "running"].includes(state)) expect(way).not.toContain(state);
      else expect(way).toContain(state);
    }
  }
});

test("what is over stands at its way's end, and nothing else does", () => {
  for (const state of Object.keys(STATES) as State[]) {
    expect(wayOf({ kind: "program", state }).at(-1) === state).toBe(isOver(state));
  }
});

test("bytes are told in the largest unit of which there is one, in the reader's words", () => {
  expect(bytesText(0, "en")).toBe("0 bytes");
  expect(bytesText(1023, "en")).toBe("1,023 bytes");
  expect(bytesText(1024, "en")).toBe("1 KiB");
  expect(bytesText(64 * 1024 ** 2, "en")).toBe("64 MiB");
  expect(bytesText(10.5 * 1024 ** 3, "ru")).toBe("10,5 ГиБ");
  expect(bytesText(20_000 * 1024 ** 3, "en")).toBe("20,000 GiB");
});

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const keyId = hex(await sha256(new Uint8Array(raw))).slice(0, 16);
const ALWAYS = { valid_from: null, valid_until: null };
const KEYS = [{ key_id: keyId, algorithm: "Ed25519" as const, public_key: raw.toString("base64"), ...ALWAYS }];
const OF = { submission_id: "123456789012345", sha256: "ab".repeat(32), bytes: 7 };
const RECEIPT = {
  // Not in the order in which they are signed.
  submission_id: OF.submission_id,
  bytes: OF.bytes,
  content_sha256: OF.sha256,
  format: 1,
  team_id: "red",
  cycle: "exam-1",
  track: "exam",
  kind: "answers" as const,
  set: "test",
  received_at: "2026-11-25T10:00:00.000Z",
  day: "2026-11-25",
  key_id: keyId,
};
const SIGNATURE = sign(null, canonical(RECEIPT), privateKey).toString("base64");

test("a submission's receipt is good whatever the order in which its fields came", async () => {
  expect(await receiptVerdict(RECEIPT, SIGNATURE, OF, KEYS)).toBe("good");
});

test("an altered receipt, an unknown key and a receipt of another file show", async () => {
  expect(await receiptVerdict({ ...RECEIPT, day: "2026-11-24" }, SIGNATURE, OF, KEYS)).toBe("bad_signature");
  expect(await receiptVerdict(RECEIPT, SIGNATURE, OF, [])).toBe("unknown_key");
  expect(await receiptVerdict(RECEIPT, SIGNATURE, { ...OF, sha256: "cd".repeat(32) }, KEYS)).toBe("other_file");
  expect(await receiptVerdict(RECEIPT, SIGNATURE, { ...OF, submission_id: "923456789012345" }, KEYS)).toBe(
    "other_file",
  );
});

import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { isSignedBy } from "./signature";

/** Signature in the form of AWS KMS, which signs for the platform: r and s; the key is an uncompressed point. */
test("a signature of P-256 verifies, and another statement's does not", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const point = new Uint8Array(publicKey.export({ format: "der", type: "spki" }).subarray(-65));
  const [content, other] = ["one", "other"].map((text) => new TextEncoder().encode(text));
  if (!content || !other) throw new Error("no contents");
  const signature = new Uint8Array(sign("sha256", content, { key: privateKey, dsaEncoding: "ieee-p1363" }));
  expect(await isSignedBy("ES256", point, signature, content)).toBe(true);
  expect(await isSignedBy("ES256", point, signature, other)).toBe(false);
});

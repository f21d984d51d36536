import type { Schemas } from "@/api/client";

type Algorithm = Schemas["KeyBody"]["algorithm"];

/** Names of the Web Cryptography API; ES256's signature is r and s there too. */
const KEYS: Record<Algorithm, EcKeyImportParams | string> = {
  Ed25519: "Ed25519",
  ES256: { name: "ECDSA", namedCurve: "P-256" },
};
const SIGNATURES: Record<Algorithm, EcdsaParams | string> = {
  Ed25519: "Ed25519",
  ES256: { name: "ECDSA", hash: "SHA-256" },
};

/** True if this key of the platform signed these bytes; NotSupportedError in a browser without Ed25519. */
export async function isSignedBy(
  algorithm: Algorithm,
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", publicKey, KEYS[algorithm], false, ["verify"]);
  return crypto.subtle.verify(SIGNATURES[algorithm], key, signature, signed);
}

import type { GetAnswer, Schemas } from "./client";

/** The codes of a contest whose answers are markups; null for every other contest, and until they are known. */
export function codesOf(told: GetAnswer<"/v1/classifier"> | undefined): Schemas["Classifier"] | null {
  return told && "subjects" in told.classifier ? told.classifier : null;
}

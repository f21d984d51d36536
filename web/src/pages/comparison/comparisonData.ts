import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { useSession } from "@/auth/hooks";
import { isMarkup } from "./Told";

/** An answer beside what is right, of any contest. */
export type Beside = Schemas["ComparisonBody"];
/** The same of a contest whose answers are markups. */
export type Compared = Schemas["EssayComparisonBody"];
/** How far the scoring has come, while there is nothing to compare yet. */
export type Scoring = Schemas["ScoringBody"];
export type Pair = Compared["comparisons"][number];
/** One of the markups of a file: the program's answer, or an expert's by its index. */
export type Which = Pair["x"];

export const ANSWER = "answer";

export interface File {
  sessionId: string;
  number: number;
}

export function isBeside(answer: unknown): answer is Beside {
  return typeof answer === "object" && answer !== null && "comparisons" in answer;
}

export function isCompared(answer: unknown): answer is Compared {
  return isBeside(answer) && isMarkup(answer.answer);
}

/** The pair that the address names, by default the answer with every expert; asked for until the scores are made. */
export function useCompared(file: File, pair: { x?: string | undefined; y?: string | undefined }) {
  const session = useSession();
  return useQuery({
    ...asked(file, pair),
    enabled: session.state !== "coming",
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.error || isBeside(state.data) ? false : EVERY.jobs),
  });
}

export interface Couple {
  x: Which;
  y: Which;
  /** What the platform found for the two; not there until it has said so, null where it is undefined. */
  found: Pair["comparison"] | undefined;
}

/** Every two of a file's markups. */
export function useCouples(file: File, experts: number): Couple[] {
  const places = Array.from({ length: experts }, (_, place) => place);
  const among = places.flatMap((x) => places.slice(x + 1).map((y) => ({ x, y })));
  const answers = useQueries({
    queries: [asked(file, {}), ...among.map(({ x, y }) => asked(file, { x: String(x), y: String(y) }))],
  });
  const known = answers.flatMap(({ data }) => (isCompared(data) ? data.comparisons : []));
  const couples: { x: Which; y: Which }[] = [...places.map((y) => ({ x: ANSWER, y }) as const), ...among];
  return couples.map((couple) => ({
    ...couple,
    found: known.find((each) => each.x === couple.x && each.y === couple.y)?.comparison,
  }));
}

function asked({ sessionId, number }: File, { x, y }: { x?: string | undefined; y?: string | undefined }) {
  const path = { session_id: sessionId, number };
  const query = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) };
  return get("/v1/sessions/{session_id}/files/{number}/comparison", { params: { path, query } });
}

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { GetAnswer, Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";

export type ReportBody = GetAnswer<"/v1/sessions/{session_id}/report">;
export type Scoring = Schemas["ScoringBody"];
export type Section = ReportBody["sections"][number];

/** A report, or how far its making has come (202, which the client's type leaves out); asked for until it is there. */
export function useReport(sessionId: string): UseQueryResult<ReportBody | Scoring> {
  return useQuery({
    ...get("/v1/sessions/{session_id}/report", { params: { path: { session_id: sessionId } } }),
    refetchInterval: ({ state }) => (state.error || (state.data && isReport(state.data)) ? false : EVERY.jobs),
  });
}

export function isReport(answer: ReportBody | Scoring): answer is ReportBody {
  return "sections" in answer;
}

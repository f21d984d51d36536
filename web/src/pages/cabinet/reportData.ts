import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { GetAnswer } from "@/api/client";
import { EVERY, get } from "@/api/queries";

type Answer = GetAnswer<"/v1/sessions/{session_id}/report">;
export type ReportBody = Extract<Answer, { sections: unknown }>;
/** How far the making of a report has come. */
export type Scoring = Exclude<Answer, ReportBody>;
export type Section = ReportBody["sections"][number];

/** A report, or how far its making has come; asked for until it is there. */
export function useReport(sessionId: string): UseQueryResult<Answer, unknown> {
  return useQuery({
    ...get("/v1/sessions/{session_id}/report", { params: { path: { session_id: sessionId } } }),
    refetchInterval: ({ state }) => (state.error || (state.data && isReport(state.data)) ? false : EVERY.jobs),
  });
}

export function isReport(answer: Answer): answer is ReportBody {
  return "sections" in answer;
}

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, type GetAnswer, type Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { isOver, type Report } from "./words";

const PAGE = 50;

/** A submission, asked for again while it is on its way. */
export function useSubmission(submissionId: string) {
  return useQuery({
    ...get("/v1/submissions/{submission_id}", { params: { path: { submission_id: submissionId } } }),
    refetchInterval: ({ state }) => every(state.data && !isOver(state.data.state) ? state.data.state : null),
  });
}

/** The team's own, the newest first, a page at a time. */
export function useOwn() {
  return useInfiniteQuery({
    queryKey: ["/v1/submissions"],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam ? { after: pageParam } : {}) };
      return (await api.GET("/v1/submissions", { params: { query }, signal })).data as Schemas["SubmissionsBody"];
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: EVERY.live,
  });
}

/** All teams', the newest first, a page at a time. */
export function useEverybodys() {
  return useInfiniteQuery({
    queryKey: ["/v1/conduct/submissions"],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam ? { after: pageParam } : {}) };
      return (await api.GET("/v1/conduct/submissions", { params: { query }, signal }))
        .data as Schemas["SubmissionsBody"];
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: EVERY.live,
  });
}

/** Its report, when it is scored: the same for ever. */
export function useReport(submissionId: string, isScored: boolean) {
  const params = { path: { submission_id: submissionId } };
  return useQuery({ ...get("/v1/submissions/{submission_id}/report", { params }), enabled: isScored });
}

export function isReport(answer: GetAnswer<"/v1/submissions/{submission_id}/report">): answer is Report {
  return "counts" in answer;
}

function every(state: string | null): number {
  return state === null || state === "uploading" ? EVERY.idle : EVERY.live;
}

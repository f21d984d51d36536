import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { queryOptions } from "@tanstack/react-query";
import { api, type GetAnswer, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { EVERY, get } from "@/api/queries";

export type Summary = Schemas["RunSummaryBody"];
export type ConductedRun = Schemas["ConductedRunBody"];
export type Watch = Schemas["WatchBody"];
export type WatchedTeam = Schemas["WatchedTeamBody"];
export type Preview = Schemas["PreviewBody"];
export type Decision = Schemas["RunDecisionRequest"];
export type Decided = Schemas["DecidedBody"];
export type Kind = Decision["kind"];
export type Cause = NonNullable<Decision["cause"]>;
export type Settled = Schemas["Settled"];
export type Board = GetAnswer<"/v1/conduct/boards/{board}">;
export type Notice = Schemas["NoticeBody"];

/** The causes that a void file may be given. */
export const CAUSES: readonly Cause[] = ["team_late", "team_invalid", "network", "platform", "organizer_decision"];

/** What organizers can decide about a run, as it stands in the list of decisions. */
export const KINDS: Record<Kind, MessageDescriptor> = {
  pause: msg`pause`,
  resume: msg`resumption`,
  stop: msg`stop`,
  void: msg`files annulled for everybody`,
  replace: msg`files replaced by reserve ones`,
  rule: msg`another cause for a void file`,
  admit: msg`a late team admitted`,
  undo: msg`a decision taken back`,
};

export const runsQuery = get("/v1/conduct/runs", { params: { query: { limit: 100 } } }, EVERY.idle);

const path = (runId: string) => ({ params: { path: { run_id: runId } } });

export const runQuery = (runId: string) => get("/v1/conduct/runs/{run_id}", path(runId), EVERY.live);

/** A blind desk must look blind at once, so a failure is not tried again before it is told. */
export const watchQuery = (runId: string) => ({
  ...get("/v1/conduct/runs/{run_id}/watch", path(runId), EVERY.run),
  retry: false,
});

/** A board as it is now; another one of the contest than its main one by its key. */
export const boardQuery = (board: string, key?: string) =>
  get("/v1/conduct/boards/{board}", { params: { path: { board }, query: key ? { key } : {} } }, EVERY.board);

export const recomputationQuery = (runId: string) => get("/v1/conduct/runs/{run_id}/shadow", path(runId), EVERY.live);

/** The replay of a run; null while nothing of it is replayed, which is no failure: then the page offers to begin. */
export const replayQuery = (runId: string) =>
  queryOptions({
    queryKey: ["/v1/replays/{run_id}", runId] as const,
    queryFn: async ({ signal }): Promise<Schemas["ReplayBody"] | null> => {
      try {
        return (await api.GET("/v1/replays/{run_id}", { ...path(runId), signal })).data ?? null;
      } catch (error) {
        if (error instanceof ApiError && error.code === "no_replay") return null;
        throw error;
      }
    },
    refetchInterval: EVERY.live,
  });

/** Whether a run takes the teams that the organizers have admitted to finals: a final that names none, and no trial. */
export function takesAdmitted(run: { mode: string; trial: boolean; admitted: string[] | null }): boolean {
  return run.mode === "final" && !run.trial && run.admitted === null;
}

import type { Schemas } from "@/api/client";

type Run = Pick<Schemas["RunBody"], "mode" | "trial" | "state" | "results_published">;

/** Whether a run can have an archive: a final that counts has one some minutes after its results are out. */
export const mayHaveArchive = ({ mode, trial, state, results_published }: Run) =>
  mode === "final" && !trial && state === "finished" && results_published;

/**
 * Whether a run's archive is there: the platform sends on to it, and refuses where there is none (yet).
 * Nothing of the archive itself is fetched.
 */
export async function isArchived(runId: string, ask: typeof fetch = fetch): Promise<boolean> {
  const answer = await ask(`/v1/runs/${runId}/archive`, { redirect: "manual" });
  return answer.type === "opaqueredirect" || answer.ok;
}

import { useSyncExternalStore } from "react";
import { api } from "@/api/client";
import { queryClient } from "@/api/queries";
import { bring } from "@/upload/bring";
import type { Submission } from "./words";

/** An upload of this tab: it goes on whatever page of the site is open. */
export interface Going {
  arrived: number;
  size: number;
  /** The connection is lost, and waited for. */
  waiting: boolean;
  /** Why it stands still; null while it goes on. */
  error: unknown;
  stop: AbortController;
}

const going = new Map<string, Going>();
const listeners = new Set<() => void>();
/** Files' names by submissions, so that after a reload the page says which file to choose. */
const NAMES = "hurdle.submitted.";

export function useUpload(submissionId: string): Going | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => going.get(submissionId),
  );
}

export function fileNameOf(submissionId: string): string | null {
  return localStorage.getItem(NAMES + submissionId);
}

/** Bring what is missing of a submission's file and hand it in; what fails stays with its error until it is begun anew. */
export async function carryOn(of: Submission, file: File): Promise<void> {
  const id = of.submission_id;
  const stop = new AbortController();
  localStorage.setItem(NAMES + id, file.name);
  const change = (how: Partial<Going>) => put(id, { ...(going.get(id) as Going), ...how });
  put(id, { arrived: 0, size: file.size, waiting: false, error: null, stop });
  try {
    await bring({
      file,
      missing: of.missing_parts,
      address: (part) => addressOf(id, part),
      tell: (arrived) => change({ arrived }),
      waits: (waiting) => change({ waiting }),
      signal: stop.signal,
    });
    await handIn(id);
    put(id, undefined);
  } catch (error) {
    if (stop.signal.aborted) put(id, undefined);
    else change({ error });
  }
  await askedAnew();
}

/** Nothing more of it is brought by this tab; what the platform has stays there. */
export function stopUpload(submissionId: string): void {
  going.get(submissionId)?.stop.abort();
}

export async function handIn(submissionId: string): Promise<void> {
  await api.POST("/v1/submissions/{submission_id}/complete", { params: { path: { submission_id: submissionId } } });
  localStorage.removeItem(NAMES + submissionId);
}

/** End an upload for good; this tab brings nothing more of it. */
export async function giveUp(submissionId: string): Promise<void> {
  stopUpload(submissionId);
  await api.POST("/v1/submissions/{submission_id}/give-up", { params: { path: { submission_id: submissionId } } });
  localStorage.removeItem(NAMES + submissionId);
}

/** Whatever is shown of submissions. */
export function askedAnew(): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey }) => String(queryKey[0]).includes("submissions"),
  });
}

async function addressOf(submissionId: string, part: number): Promise<string> {
  const path = { submission_id: submissionId, part };
  return String((await api.GET("/v1/submissions/{submission_id}/parts/{part}", { params: { path } })).data?.address);
}

function put(id: string, how: Going | undefined): void {
  if (how) going.set(id, how);
  else going.delete(id);
  const goes = [...going.values()].some(({ error }) => error === null);
  // Whoever closes the tab is asked first: with it the file is out of reach.
  window[goes ? "addEventListener" : "removeEventListener"]("beforeunload", ask);
  for (const listener of listeners) listener();
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

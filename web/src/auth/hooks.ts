import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { get, type Schemas } from "@/api/client";
import { currentSession, onSession, type Session } from "./session";

export function useSession(): Session {
  return useSyncExternalStore(onSession, currentSession);
}

/** Return the signed-in user's data; undefined if nobody is signed in, or before the platform's response. */
export function useMe(): Schemas["MeBody"] | undefined {
  const session = useSession();
  const { data } = useQuery({ ...get("/v1/me", {}), enabled: session.state === "in" });
  return session.state === "in" ? data : undefined;
}

/** True if the signed-in user has the right; the platform checks it again at every request. */
export function useMay(right: string): boolean {
  return useMe()?.rights.includes(right) ?? false;
}

const ROLES: Readonly<Record<string, MessageDescriptor>> = {
  participant: msg`participant`,
  program: msg`a program`,
  expert: msg`expert`,
  judge: msg`judge`,
  clinician: msg`clinician`,
  commission: msg`commission`,
  organizer: msg`organizer`,
};

/** Return the name of a role in words; the role itself if it has none. */
export function roleName(role: string): MessageDescriptor {
  return ROLES[role] ?? { id: role, message: role };
}

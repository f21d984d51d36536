import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { EVERY, get } from "@/api/queries";
import { useMay } from "@/auth/hooks";

export type Team = Schemas["TeamBody"];

export const STATUSES: Record<Team["status"], MessageDescriptor> = {
  applied: msg`under review`,
  rejected: msg`rejected`,
  approved: msg`approved`,
  suspended: msg`suspended`,
  withdrawn: msg`withdrawn`,
  disqualified: msg`disqualified`,
};

/** The question whose answer whoever has no right to a cabinet is refused. */
export const teamQuery = get("/v1/team", {}, EVERY.idle);

/** The own team, for whoever may have one; asked again and again, so that a decision shows by itself. */
export function useTeam() {
  const may = useMay("cabinet");
  return useQuery({ ...teamQuery, enabled: may });
}

/** Whether the platform's answer is that this person has no team yet. */
export function hasNoTeam(error: unknown): boolean {
  return error instanceof ApiError && error.code === "no_team";
}

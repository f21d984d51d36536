import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { EVERY, get, queryClient, read, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
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

const OWN = get("/v1/team", {}, EVERY.idle);
const ME = get("/v1/me", {});

/**
 * Query of the own team; null for a participant without one. `/v1/me` tells that, and is asked anew until there is a
 * team. The team itself is requested if there is one, and by users without the right, whom the platform refuses. The
 * gateway caches the identity for half a minute: a team known here from an application's answer is requested directly.
 */
export const teamQuery = queryOptions<Team | null>({
  queryKey: OWN.queryKey as readonly unknown[],
  queryFn: async ({ signal }) => {
    if (!queryClient.getQueryData<Team | null>(OWN.queryKey)) {
      const person = queryClient.getQueryData<Schemas["MeBody"]>(ME.queryKey);
      const me = person?.team_id ? person : await queryClient.fetchQuery({ ...ME, staleTime: 0 });
      if (me.team_id === null && me.rights.includes("cabinet")) return null;
    }
    try {
      return await read("/v1/team", {}, signal);
    } catch (error) {
      // A member dismissed meanwhile is in no team, whatever the page showed before.
      if (error instanceof ApiError && error.code === "no_team") return null;
      throw error;
    }
  },
  refetchInterval: EVERY.idle,
});

/** Show the team in the platform's answer, and refetch all data that it changes. */
export function entered(team: Team | undefined): Promise<void> {
  if (team) queryClient.setQueryData(teamQuery.queryKey, team);
  return queryClient.invalidateQueries();
}

/** Query the own team of a user who may have one; it is polled, so that a decision appears without a reload. */
export function useTeam() {
  const may = useMay("cabinet");
  return useQuery({ ...teamQuery, enabled: may });
}

/** True if the platform answers that this user has no team: the user left one, or was never in any. */
export function hasNoTeam({ data, error }: { data: Team | null | undefined; error: unknown }): boolean {
  return data === null || (error instanceof ApiError && error.code === "no_team");
}

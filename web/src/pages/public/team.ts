import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { read, type Schemas } from "@/api/client";
import { ApiError } from "@/api/problem";
import { EVERY, get, queryClient } from "@/api/queries";
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
 * The own team; null for a participant without one. Who that is says who one is, asked anew until there is a team: the
 * team itself is asked for where there is one, and by whoever has no right to it, whom the platform refuses. Who one is
 * the gateway believes for half a minute: a team that is known here, by the answer to an application, is asked for itself.
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
      // Who was dismissed meanwhile is in no team, whatever the page showed before.
      if (error instanceof ApiError && error.code === "no_team") return null;
      throw error;
    }
  },
  refetchInterval: EVERY.idle,
});

/** Show the team that the platform has answered with, and ask anew for all that it changes. */
export function entered(team: Team | undefined): Promise<void> {
  if (team) queryClient.setQueryData(teamQuery.queryKey, team);
  return queryClient.invalidateQueries();
}

/** The own team, for whoever may have one; asked again and again, so that a decision shows by itself. */
export function useTeam() {
  const may = useMay("cabinet");
  return useQuery({ ...teamQuery, enabled: may });
}

/** Whether the platform's answer is that this person has no team: it left one, or was never in any. */
export function hasNoTeam({ data, error }: { data: Team | null | undefined; error: unknown }): boolean {
  return data === null || (error instanceof ApiError && error.code === "no_team");
}

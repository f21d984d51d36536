import { useQuery } from "@tanstack/react-query";
import { read, TEAM_NAMES } from "@/api/client";
import { useMay } from "@/auth/hooks";

const MINUTE = 60_000;

/** Return a function from a team's id to its name; for a team that is not known (yet), to the id itself. */
export function useTeamName(): (team: string) => string {
  const reads = useMay("read_reports");
  const query = useQuery({
    queryKey: [TEAM_NAMES],
    queryFn: async ({ signal }) => (await read("/v1/qualification", {}, signal)).teams,
    enabled: reads,
    staleTime: MINUTE,
  });
  return (team) => query.data?.find((entry) => entry.team_id === team)?.name ?? team;
}

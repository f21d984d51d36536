import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api, get, queryClient } from "@/api/client";
import { ApiError } from "@/api/problem";
import { entered, type Team, teamQuery } from "./team";

const TEAM = { team_id: "owls", name: "Owls", status: "applied" } as Team;
const STALE = { role: "participant", person_id: "olga", team_id: null, token_id: null, rights: ["cabinet"] };
let requests: string[] = [];

/** A platform whose gateway still believes that the person is in no team. */
beforeEach(() => {
  requests = [];
  vi.spyOn(api, "GET").mockImplementation(((path: string) => {
    requests.push(path);
    return Promise.resolve({ data: path === "/v1/me" ? STALE : TEAM, response: new Response() });
  }) as never);
});

afterEach(() => {
  queryClient.clear();
  vi.restoreAllMocks();
});

test("a team is not asked for where the platform says that there is none", async () => {
  expect(await queryClient.fetchQuery(teamQuery)).toBe(null);
  expect(requests).toEqual(["/v1/me"]);
});

test("a team that was entered stays, whatever the gateway believes of the person for half a minute", async () => {
  queryClient.setQueryData(get("/v1/me", {}).queryKey as readonly unknown[], STALE);
  expect(await queryClient.fetchQuery(teamQuery)).toBe(null);
  await entered(TEAM);
  expect(queryClient.getQueryData(teamQuery.queryKey)).toEqual(TEAM);
  expect(await queryClient.fetchQuery({ ...teamQuery, staleTime: 0 })).toEqual(TEAM);
  expect(requests.at(-1)).toBe("/v1/team");
});

test("a team that somebody was dismissed from is shown no longer", async () => {
  await entered(TEAM);
  vi.spyOn(api, "GET").mockRejectedValue(Object.assign(Object.create(ApiError.prototype), { code: "no_team" }));
  expect(await queryClient.fetchQuery({ ...teamQuery, staleTime: 0 })).toBe(null);
});

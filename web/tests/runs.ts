import { advance, asOrganizer, CLOUD, contest, order } from "./cloud.ts";

/** Return the time of the platform's clock, in milliseconds since 1970. */
export async function platformNow(): Promise<number> {
  const told = (await (await fetch(`${CLOUD}/v1/cycle`)).json()) as { server_time: string };
  return Date.parse(told.server_time);
}

/** Plan a run that nobody's machine is too slow for: its limits are long, and only the test moves the clock. */
export async function planned(said: object): Promise<string> {
  const starts_at = new Date((await platformNow()) + 120_000).toISOString();
  const limits = { request_s: 95, answer_s: 95, total_s: 98 };
  const body = { mode: "final", set: "test", starts_at, interval_s: 100, limits, trial: true, ...said };
  return (await asOrganizer<{ run: { run_id: string } }>("POST", "/v1/conduct/runs", body)).run.run_id;
}

/** Move the clock to just after the run's next opening. */
export async function openNext(run: string): Promise<void> {
  const told = (await (await fetch(`${CLOUD}/v1/runs/${run}`)).json()) as {
    next_opening: { opens_at: string };
    server_time: string;
  };
  await advance((Date.parse(told.next_opening.opens_at) - Date.parse(told.server_time)) / 1000 + 1);
}

interface Run {
  run_id: string;
  state: string;
  starts_at: string;
  ends_at: string;
  closed_at: string | null;
}

/** Stop the finals that an earlier test left open: a team has one session at a time. */
export async function stopLeft(): Promise<void> {
  if ((await openFinals()).length === 0) return;
  // A stop that is decided already takes a moment to hold.
  await advance(60);
  for (const { run_id: run } of await openFinals()) {
    await asOrganizer("POST", `/v1/conduct/runs/${run}/decisions`, { kind: "stop", reason: "left by another test" });
  }
  await advance(120);
}

async function openFinals(): Promise<Run[]> {
  const { runs } = await asOrganizer<{ runs: Run[] }>("GET", "/v1/conduct/runs?mode=final&limit=100");
  return runs.filter(({ state }) => state !== "finished" && state !== "stopped");
}

/** Let the run under way end before an action refused during one: the timer begins technical runs of its own. */
export async function afterRuns(): Promise<void> {
  for (;;) {
    const { runs } = await asOrganizer<{ runs: Run[] }>("GET", "/v1/conduct/runs?limit=100");
    const now = await platformNow();
    const going = runs.filter((run) => run.closed_at === null && Date.parse(run.starts_at) <= now);
    if (going.length === 0) return;
    const left = Math.max(...going.map((run) => Date.parse(run.ends_at))) - now;
    // A run that is over is closed by the next look of a timer.
    await advance(Math.max(0, left / 1000) + 60);
  }
}

const TRIES = 5;

/** Begin a rescoring as soon as no run is under way (between two requests the timer may begin one); return its id. */
export async function rescoring(said: object): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    await afterRuns();
    try {
      return (await asOrganizer<{ rescoring_id: string }>("POST", "/v1/rescorings", said)).rescoring_id;
    } catch (refused) {
      if (tries === TRIES) throw refused;
    }
  }
}

/** Prepare a final and admit two teams to it, whatever was decided on others; return a token of the second one. */
export async function twoTeams(): Promise<string> {
  await order("/final");
  const { teams } = await asOrganizer<{ teams: { team_id: string }[] }>("GET", "/v1/teams");
  if (!teams.some(({ team_id: team }) => team === "second")) await contest("team", "add", "second", "Second team");
  for (const team of ["pilot", "second"]) {
    await asOrganizer("POST", `/v1/teams/${team}/admission`, { admitted: true, reason: "plays in the tests" });
  }
  return contest("token", "issue", "second");
}

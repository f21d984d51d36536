import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { advance, asOrganizer, drain, prepared } from "./cloud.ts";
import {
  alter,
  choose,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectSound,
  forgetAnswers,
  openMenu,
  signIn,
  test,
} from "./fixtures.ts";

interface Runs {
  runs: { run_id: string; mode: string; state: string; ends_at: string }[];
  server_time: string;
}

/** Clause: platform §8 public */
test("a visitor sees what, when and who leads, and opens a row by keyboard", { tag: "@gate" }, async ({ page }) => {
  await page.goto("/");
  await expect(page.getByText("Is any program as good as the people who do this work?")).toBeVisible();
  await expect(page.getByText(/^Programs find the errors in school essays/)).toBeVisible();
  await expect(page.getByText("Peter the Great")).toBeVisible();
  await expect(page.getByRole("img", { name: /^The barrier is 100/ })).toBeVisible();
  for (const [name, said] of [
    ["Barrier", /^100\s%$/],
    ["Teams", /^\d+$/],
    ["Prize", /demonstration/],
  ] as const) {
    const figure = page.locator("dl > div", { has: page.getByText(name, { exact: true }) });
    await expect(figure.locator("dd")).toHaveText(said);
  }
  const top = page.getByRole("table");
  await expect(top.getByRole("row", { name: /Pilot program/ })).toContainText("32/32");
  await expect(top.getByRole("img", { name: /95\s% interval from .* barrier at 100/ })).toBeVisible();
  await page.getByRole("link", { name: /All places/ }).press("Enter");
  await expect(page).toHaveTitle(/^Leaderboards · READ/);
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  const row = page.getByRole("button", { name: "Pilot program", exact: true });
  await row.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/open=pilot/);
  await expect(row).toHaveAttribute("aria-expanded", "true");
  await expect(page.getByText(/Abstention audit: with missed files counted as zero/)).toBeVisible();
  await page.reload();
  await expect(row).toHaveAttribute("aria-expanded", "true");
});

test("a cycle with stages: the present one is marked, the next border is counted down to", async ({ page }) => {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [hour, week] = [3_600_000, 7 * 24 * 3_600_000];
  await alter(page, "**/v1/runs", (told) => Object.assign(told, { runs: [] }));
  await alter(page, "**/v1/cycle", (told) => {
    const now = Date.parse(told.server_time);
    const stage = (name: string, from: number, to: number) => ({
      name,
      first: day(from),
      last: day(to),
      starts_at: new Date(from).toISOString(),
      ends_at: new Date(to).toISOString(),
      outside: "refuse",
      message: `What is sent outside the ${name} is refused.`,
      message_ru: "Вне этапа не принимается.",
    });
    told.stages = [stage("qualification", now - week, now + 26 * hour), stage("final", now + 2 * week, now + 3 * week)];
  });
  await page.goto("/");
  const stages = page.getByRole("list", { name: "Stages of the cycle" });
  await expect(stages.getByRole("listitem")).toHaveCount(2);
  await expect(stages.locator("[aria-current=step]")).toContainText("Qualification");
  await expect(stages.getByText("What is sent outside the final is refused.")).toBeVisible();
  await expect(page.getByText("Qualification ends in")).toBeVisible();
  await expect(page.getByRole("main").getByRole("timer").first()).toHaveText(/^1 d 0[12]:\d\d:\d\d$/);
  await expectAccessible(page);
});

test("the board by language is another one of the platform's, with the same places", async ({ page, request }) => {
  await page.goto("/boards");
  await page.getByRole("link", { name: "English" }).click();
  await expect(page).toHaveURL(/by=eng/);
  const told = (await (await request.get("/v1/leaderboards/qualification?language=eng")).json()) as {
    rows: { place: number; result: { relative_accuracy: number } }[];
  };
  const otar = told.rows[0]?.result.relative_accuracy.toFixed(1) ?? "none";
  await expect(page.getByRole("row", { name: /Pilot program/ })).toContainText(otar);
});

test("a board's rows are walked and told, a team's places are a chart with its twin", async ({ page }) => {
  await alter(page, "**/v1/leaderboards/qualification/history*", (told) => {
    const at = Date.parse(told.server_time);
    told.points = [3, 1, 2].map((place, number) => ({
      at: new Date(at - number * 3_600_000).toISOString(),
      places: [{ team_id: "pilot", place, relative_accuracy: 90 }],
    }));
  });
  await page.goto("/boards?open=pilot");
  await expect(page.getByText(/No team has overcome the barrier yet|The barrier is overcome: /)).toBeVisible();
  const team = page.getByRole("button", { name: "Pilot program", exact: true });
  await team.focus();
  const whisker = await page.getByRole("row").filter({ has: team }).getByRole("img").getAttribute("aria-label");
  await expect(page.getByRole("status").filter({ hasText: `Pilot program: ${whisker}` })).toHaveCount(1);
  const chart = page.getByRole("figure");
  await expect(chart.locator("figcaption")).toHaveText("Pilot program: from place 2 to place 3");
  await chart.getByRole("img").focus();
  await page.keyboard.press("ArrowLeft");
  await expect(chart.getByRole("status")).toHaveText(/: place 3$/);
  await page.keyboard.press("ArrowLeft");
  await expect(chart.getByRole("status")).toHaveText(/: place 1$/);
  await chart.getByRole("button", { name: /^The same as a table/ }).click();
  await expect(chart.getByRole("row")).toHaveText([/Since/, /2$/, /1$/, /3$/]);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 700 });
  await choose(page, "ru", "dark");
  await page.reload();
  await page.getByRole("figure").getByRole("button").first().click();
  await expectSound(page);
});

test("teams with an equal result share a range of places, as the platform says it", async ({ page }) => {
  await alter(page, "**/v1/leaderboards/qualification?*", (told) => {
    const [row] = told.rows;
    told.rows = [1, 1, 3].map((place, number) => ({
      ...row,
      place,
      place_to: place + Number(place === 1),
      team_id: `team-${number}`,
      team: `Team ${number}`,
    }));
  });
  await page.goto("/boards");
  for (const [team, place] of [
    ["Team 0", "1–2"],
    ["Team 1", "1–2"],
    ["Team 2", "3"],
  ] as const) {
    const row = page.getByRole("row").filter({ has: page.getByRole("button", { name: team }) });
    await expect(row.getByRole("cell").first()).toHaveText(place);
  }
  await page.setViewportSize({ width: 320, height: 600 });
  await expectNoSidewaysScroll(page);
});

test("a final without results says so in the platform's words", async ({ page, quiet }) => {
  quiet.allow(/403/);
  await page.goto("/boards?board=final");
  await expect(page.getByText(/The results of the final are not published yet/)).toBeVisible();
});

test.describe("a board that is not shown", () => {
  const decide = async (state: string) => {
    await asOrganizer("POST", "/v1/conduct/boards/qualification/decision", { state, reason: "the last days" });
    // Processes cache the catalogue for a few seconds.
    await advance(15);
  };

  test.afterAll(() => decide("published"));

  test("a frozen one says since when, a hidden one that it is hidden", async ({ page, quiet }) => {
    quiet.allow(/403/);
    await decide("frozen");
    await forgetAnswers(page);
    await page.goto("/boards");
    await expect(page.getByText(/This leaderboard is frozen. It shows the state of/)).toBeVisible();
    await expectAccessible(page);
    await decide("hidden");
    await forgetAnswers(page);
    await page.reload();
    await expect(page.getByText("The organizers have hidden this board.")).toBeVisible();
  });
});

/** Clause: platform §8 public */
test("an announcement is new until the visitor has seen it", async ({ page }) => {
  await page.goto("/announcements");
  await expect(page.getByRole("heading", { level: 1, name: "Announcements" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Second training set" })).toHaveCount(0);
  await advance(60);
  await asOrganizer("POST", "/v1/announcing", {
    kind: "sets",
    title: { en: "Second training set", ru: "Второй обучающий набор" },
    text: { en: "Sixty essays.", ru: "Шестьдесят эссе." },
  });
  await forgetAnswers(page);
  await page.goto("/announcements");
  const heading = page.getByRole("heading", { name: "Second training set" });
  await expect(heading).toContainText("new");
  await page.reload();
  await expect(heading).not.toContainText("new");
});

test("a run's commitment, and after its end its record, are verified in the page", async ({ page, request, quiet }) => {
  // Hours of the cloud's clock, with all that falls due in them.
  test.setTimeout(240_000);
  const runs = async () => (await (await request.get("/v1/runs")).json()) as Runs;
  // The timer plans technical runs by itself every four hours; what other paths planned may be over, or theirs.
  const planned = async () =>
    (await runs()).runs.find(({ mode, state }) => mode === "technical" && state === "planned");
  let run = await planned();
  // One is announced ten minutes before it starts: whole hours would step over it again and again.
  for (let minutes = 0; !run && minutes <= 4 * 60; minutes += 5) {
    await advance(300);
    run = await planned();
  }
  if (!run) throw new Error("the timer has planned no run");
  await page.goto(`/runs/${run.run_id}`);
  await page.getByRole("button", { name: "Verify in this page" }).click();
  await expect(page.getByText("Every step holds.")).toBeVisible();
  const { server_time } = await runs();
  await advance(Math.max(0, (Date.parse(run.ends_at) - Date.parse(server_time)) / 1000) + 300);
  await drain();
  await forgetAnswers(page);
  // Between the run's end and the creation of its record.
  await page.route(
    /\/record$/,
    (route) => route.fulfill({ status: 409, json: { error: { code: "run_not_over", message: "", message_ru: "" } } }),
    { times: 1 },
  );
  await page.reload();
  await page.getByRole("button", { name: "Verify in this page" }).click();
  await expect(page.getByText(/^Every step holds. The run's record is being computed/)).toBeVisible();
  quiet.allow(/409/);
  await page.getByRole("button", { name: "Verify in this page" }).click();
  await expect(page.locator("ol li", { hasText: "✓" })).toHaveCount(11);
  await expect(page.getByText("Every step holds.", { exact: true })).toBeVisible();
  await alter(page, /\/record$/, (told) => {
    const row = told.record.plans[0]?.rows[0];
    if (row) row.file_id = "swapped";
  });
  await page.getByRole("button", { name: "Verify in this page" }).click();
  await expect(page.getByText(/does not hold: record_sha256/)).toBeVisible();
  await expect(page.locator("ol li", { hasText: "✓" })).toHaveCount(4);
  await expect(page.getByText("Every step holds.")).toHaveCount(0);
});

test("the kit that is published can be fetched as the page says, in both languages", async ({ page }) => {
  await page.goto("/take-part");
  const line = page.locator("pre", { hasText: "pip install" });
  await expect(line).toContainText(`${new URL(page.url()).origin}/kit/hurdle_pku-`);
  const installing = await line.textContent();
  await page.getByRole("link", { name: "the kit" }).click();
  await expect(page.locator("pre", { hasText: "pip install" }).first()).toHaveText(installing ?? "");
  const wheel = page.getByRole("row", { name: /hurdle_pku/ });
  const sum = (await wheel.getByRole("cell").last().textContent()) ?? "";
  const fetched = await page.request.get((await wheel.getByRole("link").getAttribute("href")) ?? "");
  expect(
    createHash("sha256")
      .update(await fetched.body())
      .digest("hex"),
  ).toBe(sum);
  expect(installing).toContain(`#sha256=${sum}`);
  // Install as a participant types it, where packages of others are found and none of ours.
  const words = ["-m", "tests.installing", installing ?? ""];
  const version = execFileSync(".venv/bin/python", words, { cwd: "..", encoding: "utf8" });
  expect(version).toMatch(/^pku \d/);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await choose(page, "ru", "dark");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Модуль участника" })).toBeVisible();
  await expectSound(page);
});

test("a team's captain sees the state of the application, the staff that it has none", async ({ page }) => {
  const { captain } = await prepared();
  await signIn(page, captain, "participants", "/application");
  await expect(page.getByText("Team Pilot program: approved")).toBeVisible();
  await openMenu(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
  await signIn(page, "judge@example.org", "staff", "/application");
  await expect(page.getByText("Participants apply for teams.")).toBeVisible();
});

/** Clause: platform §8 accessible */
test("keys: ? lists them, g and a letter go somewhere, and they can be switched off", async ({ page }) => {
  await page.goto("/rules");
  await expect(page.getByRole("heading", { name: "Figures in force" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Leaderboards");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Opens a row in place");
  await expect(page.getByRole("dialog").getByRole("row", { name: "g d Desk" })).toHaveCount(0); // not a visitor's
  await page.getByRole("dialog").getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Leaderboards");
});

test("without a network the page says so and keeps what it has", async ({ page, context, quiet }) => {
  quiet.allow(/ERR_INTERNET_DISCONNECTED/);
  await page.goto("/boards");
  await expect(page.getByRole("button", { name: "Pilot program", exact: true })).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText(/No connection/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Pilot program", exact: true })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText(/No connection/)).toHaveCount(0);
});

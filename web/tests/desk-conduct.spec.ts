import type { Page } from "@playwright/test";
import { Program } from "./cabinetProgram.ts";
import { advance, asOrganizer, drain, order, prepared } from "./cloud.ts";
import { cell, decide, fieldTime } from "./conduct.ts";
import {
  choose,
  confirm,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectSound,
  signIn,
  test,
} from "./fixtures.ts";
import { afterRuns, openNext, platformNow, stopLeft, twoTeams } from "./runs.ts";

const ORGANIZER = "organizer@example.org";
/** Seconds that a planned run gives for everything: no machine is too slow, and only the test's clock decides. */
const INTERVAL_S = 100;
const UNTIL_START_S = 120;

/** A program's token of another team than the prepared one. */
let second = "";

test.beforeAll(async () => {
  test.setTimeout(180_000);
  second = await twoTeams();
});

/** A run that an earlier test left open keeps the team from opening another session: it is stopped. */
test.beforeEach(stopLeft);

/** Plan a final through the page; return its name. */
async function plan(page: Page, files: number): Promise<string> {
  await page.goto("/desk/plan");
  await page.getByLabel("Set from which files are drawn").selectOption("final");
  await page.getByLabel("First file opens").fill(fieldTime((await platformNow()) + UNTIL_START_S * 1000));
  await page.getByLabel("Files", { exact: true }).fill(String(files));
  await page.getByLabel("Seconds between openings").fill(String(INTERVAL_S));
  await page.getByText("Other limits than the cycle's").click();
  await page.getByLabel("To ask, from the opening").fill("95");
  await page.getByLabel("To answer, from the hand-out").fill("95");
  await page.getByLabel("To answer, from the opening").fill("98");
  await page.getByRole("button", { name: "Show what would be planned" }).click();
  const preview = page.getByRole("region", { name: "What would be planned" });
  await expect(preview).toContainText(`${files} of the 11 of the set final`);
  await expectAccessible(page);
  await preview.getByRole("button", { name: "Plan it and publish its commitment" }).click();
  await page.waitForURL(/\/desk\/runs\/[a-z0-9]{20}/);
  return page.url().split("/").at(-1) as string;
}

async function answer(program: Program, number: number): Promise<void> {
  await program.answer(await program.take(number));
}

/** Clause: platform §8 organizers */
test("path 9: a run is planned, watched, paused with a reason, settled, its board revealed", async ({
  page,
  quiet,
}) => {
  // The refused publication.
  quiet.allow(/409 \(Conflict\)/);
  test.setTimeout(300_000);
  await choose(page, "en", "light");
  await signIn(page, ORGANIZER, "staff");
  const runId = await plan(page, 3);
  const program = await Program.join(runId, (await prepared()).token);
  const other = await Program.join(runId, second);
  await expect(page.getByText("connected 2 of 2")).toBeVisible();
  await openNext(runId);
  const state = page.getByRole("status").filter({ hasText: "running" });
  await expect(state).toBeVisible();
  await answer(program, 1);
  await answer(other, 1);
  const grid = page.getByRole("grid", { name: "Teams and files" });
  await expect(cell(page, "pilot", "file 1: answered")).toBeVisible();

  // Pause by its key: the preview says that openings move, nothing happens without a reason.
  await page.keyboard.press("p");
  await expect(page.getByRole("dialog")).toContainText("2 openings would move");
  await expectAccessible(page);
  await decide(page, /Pause the run for all 2 teams/, "the hall has no power");
  await advance(10);
  await expect(page.getByRole("status").filter({ hasText: "paused" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Decisions", exact: true })).toContainText("the hall has no power");
  await page.getByRole("button", { name: "Resume…" }).click();
  await decide(page, /Resume the run/, "there is power again");
  await advance(40);
  await expect(state).toBeVisible();

  // The second file is missed; its cell opens by keyboard, and the commission's ruling gives it another cause.
  await openNext(runId);
  await answer(other, 2);
  await openNext(runId);
  await answer(program, 3);
  await answer(other, 3);
  await expect(cell(page, "pilot", "file 2: void: the team was late")).toBeVisible();
  await grid.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const delivery = page.getByRole("region", { name: "Delivery" });
  await expect(delivery).toContainText("the program never asked for the file");
  await expectAccessible(page);
  await delivery.getByRole("button", { name: "Another cause…" }).click();
  await decide(page, /Give file 2 of Pilot program this cause/, "the hall had no power");
  await advance(10);
  await expect(cell(page, "pilot", "file 2: void: platform")).toBeVisible();
  await expect(page.getByText("lost to the platform: 1")).toBeVisible();

  await settle(page, runId);
  await reveal(page);

  // Other tests find no published final.
  await page.getByRole("link", { name: "Back to the settlement" }).click();
  await confirm(page, "Withdraw", "the test is over");
  await expect(page.getByText("Nobody outside the staff sees this board.")).toBeVisible();
});

/** Go from the last answer to published results, with a stored result that was altered on the way. */
async function settle(page: Page, runId: string): Promise<void> {
  await advance(INTERVAL_S + 60);
  await advance(120);
  await drain();
  await expect(page.getByRole("status").filter({ hasText: "finished" })).toBeVisible();
  await page.keyboard.press("p"); // what the state refuses has neither button nor key
  await expect(page.getByRole("button", { name: "Pause…" })).toHaveCount(0);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.goto(`/desk/settlement/${runId}`);
  await expect(page.getByText("Every session is closed (done)")).toBeVisible();
  await page.getByRole("button", { name: "Import the experts' markups" }).click();
  await drain();
  await expect(page.getByText("Done.")).toBeVisible();
  await advance(60);
  await drain();
  await advance(60);
  await drain();
  await expect(page.getByText("No difference.")).toBeVisible();

  await order("/alter", { run: runId });
  await page.getByRole("button", { name: "Recompute once more" }).click();
  await drain();
  await advance(60);
  await drain();
  const alarm = page.getByRole("alert").filter({ hasText: "the results cannot be published" });
  await expect(alarm).toBeVisible();
  await expect(page.getByRole("region", { name: "Values that differ" })).toContainText("result.relative_accuracy");
  await expectAccessible(page);
  await publish(page);
  await expect(page.getByRole("dialog").getByRole("alert")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  await order("/mend");
  await page.getByRole("button", { name: "Recompute once more" }).click();
  await drain();
  await advance(60);
  await drain();
  await expect(page.getByText("No difference.")).toBeVisible();
  await publish(page);
  await expect(page.getByText("Everybody sees this board, live.")).toBeVisible();
  await expect(page.getByText("The results are published (done)")).toBeVisible();
}

async function publish(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Publish" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Reason/).fill("the commission has verified it");
  await dialog.getByRole("button", { name: "Publish" }).click();
}

async function reveal(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Reveal it place by place" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "The results" })).toBeVisible();
  await expect(page.getByText("still hidden")).toHaveCount(2);
  await page.keyboard.press("ArrowDown");
  await expect(page.getByText("still hidden")).toHaveCount(1);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Reveal the next place" }).click();
  await expect(page.getByText("still hidden")).toHaveCount(0);
  await expect(page.getByRole("row").filter({ hasText: "Pilot program" })).toBeVisible();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByText("still hidden")).toHaveCount(1);
}

test("the commission sees everything, in Russian, dark, on a phone, and changes nothing", async ({ page, quiet }) => {
  test.setTimeout(180_000);
  await choose(page, "ru", "dark");
  await signIn(page, "commission@example.org", "staff");
  await page.getByRole("link", { name: "Рабочее место" }).click();
  await page.getByRole("navigation", { name: "Рабочее место" }).getByRole("link", { name: "Прогоны" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Прогоны" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Запланировать прогон" })).toHaveCount(0);
  await expectAccessible(page);
  // The timer plans technical runs of its own, which nobody joins here.
  await page.getByRole("row", { name: /Финал/ }).first().getByRole("rowheader").getByRole("link").click();
  await expect(page.getByText("решения принимают организаторы")).toBeVisible();
  await expect(page.getByRole("button", { name: /Пауза|Аннулировать|Отменить/ })).toHaveCount(0);
  await expect(page.getByRole("grid")).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 700 });
  await expect(page.getByRole("grid")).toBeHidden();
  await expect(page.getByText("потеряно по вине платформы")).toBeVisible();
  await expectNoSidewaysScroll(page);
  for (const [address, title] of [
    ["/desk/settlement", "Подведение итогов"],
    ["/desk/settlement/rescorings", "Перерасчёты"],
    ["/desk/settlement/annulments", "Аннулирования"],
  ] as const) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expect(page.getByRole("button", { name: /Опубликовать|Пересчитать…|Аннулировать…/ })).toHaveCount(0);
    await expectSound(page);
  }
  await page.goto("/desk/settlement");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole("region", { name: "Финалы" }).first().getByRole("rowheader").first().getByRole("link").click();
  await expect(page.getByRole("heading", { name: "Независимый пересчёт" })).toBeVisible();
  await expectAccessible(page);
  // A link forbids nothing: the platform refuses the deed itself.
  quiet.allow(/403 \(Forbidden\)/);
  const refused = await order<{ status: number }>("/ask", {
    email: "commission@example.org",
    method: "POST",
    path: `/v1/conduct/runs/${page.url().split("/").at(-1)}/decisions`,
    body: { kind: "pause", reason: "no right" },
    headers: {},
  });
  expect(refused.status).toBe(403);
});

test("a grid of 20 teams by 500 files keeps its view alone, is walked by keys, greys blind", async ({
  page,
  quiet,
}) => {
  quiet.allow(/Failed to load resource/);
  await choose(page, "en", "dark");
  await signIn(page, ORGANIZER, "staff");
  const { runs } = await asOrganizer<{ runs: { run_id: string }[] }>("GET", "/v1/conduct/runs?mode=final");
  const runId = runs[0]?.run_id as string;
  const watch = await asOrganizer<{ teams: object[] }>("GET", `/v1/conduct/runs/${runId}/watch`);
  const cells = "aaalaainaaapaaadaaao".repeat(25);
  const teams = Array.from({ length: 20 }, (_, at) => ({
    ...watch.teams[0],
    team_id: `team-${String(at).padStart(2, "0")}`,
    session_id: String(100_000_000_000_000 + at),
    files: 500,
    cells,
  }));
  await page.route("**/watch", (route) => route.fulfill({ json: { ...watch, total_files: 500, teams } }));
  await page.goto(`/desk/runs/${runId}`);
  const grid = page.getByRole("grid");
  await expect(grid).toHaveAttribute("aria-colcount", "501");
  expect(await grid.getByRole("gridcell").count()).toBeLessThan(1500);
  await grid.focus();
  await page.keyboard.press("End");
  for (let step = 0; step < 19; step += 1) await page.keyboard.press("ArrowDown");
  await expect(grid).toHaveAttribute("aria-activedescendant", "cell-team-19-500");
  await expect(page.locator("#cell-team-19-500")).toBeInViewport();
  await expectAccessible(page);
  await page.getByLabel("Order").selectOption("worst");
  await expect(page).toHaveURL(/order=worst/);
  await page.unroute("**/watch");
  await page.route("**/watch", (route) => route.abort());
  await expect(page.getByText(/The platform does not answer now/)).toBeVisible();
  await expect(page.getByText("connected")).toBeVisible();
});

test("closed sessions are scored anew beside their scores; one is annulled and restored", async ({ page }) => {
  test.setTimeout(180_000);
  await afterRuns();
  await choose(page, "en", "light");
  await signIn(page, ORGANIZER, "staff", "/desk/settlement/rescorings");
  await page.getByRole("button", { name: "Score anew…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Set").fill("test");
  await dialog.getByLabel(/Reason/).fill("to see that nothing changes");
  await dialog.getByRole("button", { name: "Score anew…" }).click();
  await page.waitForURL(/rescorings\/.+/);
  await drain();
  await advance(60);
  await drain();
  await expect(page.getByRole("columnheader", { name: "Old", exact: true }).first()).toBeVisible();
  await expectAccessible(page);
  await confirm(page, "Discard", "nothing changed");
  await expect(page.getByText("discarded: nothing changed")).toBeVisible();

  await page.goto("/desk/settlement/annulments");
  await page.getByRole("button", { name: "Annul…" }).click();
  await dialog.getByLabel(/^What/).selectOption("set");
  await dialog.getByLabel("Name of the set").fill("reserve");
  await dialog.getByLabel(/Reason/).fill("it was shown by mistake");
  await dialog.getByRole("button", { name: "Annul…" }).click();
  const row = page.getByRole("row").filter({ hasText: "reserve" });
  await expect(row).toContainText("it was shown by mistake");
  await expectAccessible(page);
  await confirm(row, "Restore", "nobody has seen it");
  await expect(row).toContainText("restored");
});

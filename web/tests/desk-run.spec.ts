import { Program } from "./cabinetProgram.ts";
import { advance, prepared } from "./cloud.ts";
import { cell, decide } from "./conduct.ts";
import { choose, expect, expectAccessible, signIn, test } from "./fixtures.ts";
import { openNext, planned, stopLeft } from "./runs.ts";

test.beforeEach(stopLeft);

/** Clause: platform §8 organizers */
test("a run is watched as its team answers, and paused by a key after a preview and with a reason", {
  tag: "@gate",
}, async ({ page }) => {
  await choose(page, "en", "light");
  const runId = await planned({ files: 2 });
  const program = await Program.join(runId, (await prepared()).token);
  await signIn(page, "organizer@example.org", "staff");
  await page.goto(`/desk/runs/${runId}`);
  await expect(page.getByText("connected 1 of 1")).toBeVisible();
  await expect(page.getByRole("region", { name: "Plan" })).toContainText("a trial, does not count");
  await openNext(runId);
  await expect(page.getByRole("status").filter({ hasText: "running" })).toBeVisible();
  await program.answer(await program.take(1));
  await expect(cell(page, "pilot", "file 1: answered")).toBeVisible();
  await expect(page.getByRole("columnheader")).toHaveText(["Team", "1", "2"]);
  // The cursor stands where one types, before the preview has come, and what is typed meanwhile stays.
  const preview = "**/decisions/preview";
  await page.route(preview, async (route) => {
    await page.waitForTimeout(500);
    await route.fallback();
  });
  await page.keyboard.press("p");
  const reason = page.getByRole("dialog").getByLabel(/^Reason/);
  await expect(reason).toBeFocused();
  await page.keyboard.type("the hall");
  await expect(page.getByRole("dialog")).toContainText("1 opening would move");
  await expect(reason).toHaveValue("the hall");
  await expect(reason).toBeFocused();
  await page.unroute(preview);
  await reason.fill("");
  await expectAccessible(page);
  await decide(page, /Pause the run for/, "the hall has no power");
  await advance(10);
  await expect(page.getByRole("status").filter({ hasText: "paused" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Decisions", exact: true })).toContainText("the hall has no power");
});

import type { Page } from "@playwright/test";
import { Program } from "./cabinetProgram.ts";
import { advance, asOrganizer, CLOUD, drain, prepared } from "./cloud.ts";
import { downloaded, expect, expectAccessible, signIn, test } from "./fixtures.ts";
import { stopLeft } from "./runs.ts";

const STAFF = { judge: "judge@example.org", commission: "commission@example.org", organizer: "organizer@example.org" };

async function openDesk(page: Page, who: keyof typeof STAFF, room: string): Promise<void> {
  await signIn(page, STAFF[who], "staff");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Desk" }).click();
  await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: room, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: room })).toBeVisible();
}

async function rule(page: Page, label: string, reason: string): Promise<void> {
  await page.getByRole("button", { name: label, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: label, exact: true })).toBeDisabled();
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: label, exact: true }).click();
  await expect(page.getByRole("listitem").filter({ hasText: reason })).toBeVisible();
}

/** A final that is over, in which the program joined and never asked: both files are void by its own fault. */
async function missedFinal(): Promise<string> {
  await stopLeft();
  const { server_time: now } = (await (await fetch(`${CLOUD}/v1/cycle`)).json()) as { server_time: string };
  const starts_at = new Date(Date.parse(now) + 120_000).toISOString();
  const said = { mode: "final", set: "test", starts_at, interval_s: 100, files: 2, trial: true };
  const { run } = await asOrganizer<{ run: { run_id: string } }>("POST", "/v1/conduct/runs", said);
  await Program.join(run.run_id, (await prepared()).token);
  for (let minutes = 0; minutes < 8; minutes += 1) await advance(60);
  await drain();
  return run.run_id;
}

/** Open the conclusion on the pilot's session on the test set; return its address. */
async function openConclusion(page: Page, standing: string): Promise<string> {
  await page
    .getByRole("row", { name: /Pilot program/ })
    .getByRole("link", { name: standing })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: /^Conclusion on session \d+$/ })).toBeVisible();
  return page.url();
}

/** Clause: platform §8 organizers */
test("a conclusion goes from judges to commission and back, each step with its reason", async ({ page, browser }) => {
  test.setTimeout(120_000);
  await openDesk(page, "judge", "Conclusions");
  const address = await openConclusion(page, "awaits the judges");
  await expect(page.getByRole("region", { name: "Evidence" })).toContainText("Ready: both conditions are met");
  const mark = Date.now();
  await rule(page, "Reject", `sample too small ${mark}`);
  await expect(page.getByRole("button", { name: "Reject", exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveAccessibleDescription(
    "Clause 8.2.1 of the regulation: Judges check the automatic conclusions on readiness.",
  );
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await rule(page, "Confirm", `looked through ten files ${mark}`);
  await expect(page.getByText("awaits the commission")).toBeVisible();
  await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: "Conclusions" }).click();
  await expect(page.getByText("✓ No conclusions wait.")).toBeVisible();

  const commission = await (await browser.newContext()).newPage();
  await openDesk(commission, "commission", "Conclusions");
  expect(await openConclusion(commission, "awaits the commission")).toBe(address);
  await expect(commission.getByRole("button", { name: "Reject", exact: true })).toHaveCount(0);
  await rule(commission, "Verify", `recomputed ${mark}`);
  await expect(commission.getByText("verified", { exact: true })).toBeVisible();
  await rule(commission, "Return to the judges", `another look at file 3 ${mark}`);
  await commission.context().close();

  await page.goto(address);
  await expect(page.getByRole("listitem").filter({ hasText: String(mark) })).toHaveCount(4);
  await expect(page.getByRole("button", { name: "Confirm", exact: true })).toBeVisible();
  // The printed page is the protocol: rulings and evidence, no navigation and no button.
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("region", { name: "Rulings" })).toContainText(`recomputed ${mark}`);
  await expect(page.getByRole("button")).toHaveCount(0);
  await expect(page.getByRole("navigation")).toHaveCount(0);
});

test("a judge reads report, files and the comparison with the experts on a test set", async ({ page }) => {
  await openDesk(page, "judge", "Conclusions");
  await openConclusion(page, "awaits the judges");
  const tabs = page.getByRole("navigation", { name: "Session" });
  await tabs.getByRole("link", { name: "Report" }).click();
  await expect(page.getByRole("region", { name: "By metric" }).last().getByRole("img")).toHaveCount(7);
  await tabs.getByRole("link", { name: "Course" }).click();
  await expect(page.getByRole("region", { name: "Table of files" }).getByRole("row")).toHaveCount(33);
  await tabs.getByRole("link", { name: "Files and comparison" }).click();
  await page.getByRole("combobox", { name: "Type", exact: true }).selectOption("eng");
  await expect(page).toHaveURL(/\/desk\/sessions\/\d+\/files\?group=eng$/);
  await page.getByRole("region", { name: "Table of files" }).focus();
  await page.keyboard.press("j");
  await page.getByRole("link", { name: "Compare with the experts" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /comparison of markups/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^the program.s answer – expert 2/ })).toBeVisible();
});

test("a team's sessions are its own: a team that played none has none", async ({ page }) => {
  const team = `quiet-${Date.now()}`;
  await asOrganizer("POST", "/v1/teams", { team_id: team, name: "Quiet team" });
  await signIn(page, STAFF.judge, "staff");
  await page.goto(`/desk/teams/${team}/sessions`);
  await expect(page.getByRole("heading", { level: 1, name: "Sessions of team Quiet team" })).toBeVisible();
  await expect(page.getByText("The team has opened no session yet.")).toBeVisible();
  await page.goto("/desk/teams/pilot/sessions");
  await expect(page.getByRole("heading", { level: 1, name: "Sessions of team Pilot program" })).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "32/32" }).first()).toBeVisible();
});

test("the commission sees every file of a run with its cause, and keeps its record", async ({ page }) => {
  test.setTimeout(180_000);
  const run = await missedFinal();
  await openDesk(page, "commission", "Files of runs");
  await page.goto(`/desk/submissions?run=${run}`);
  const table = page.getByRole("region", { name: "Table of files" });
  await expect(table.getByRole("row").filter({ hasText: "the team was late" })).toHaveCount(2);
  await page.getByRole("combobox", { name: "Cause" }).selectOption("platform");
  await expect(page.getByText("0 files of 2")).toBeVisible();
  await expect(page).toHaveURL(/cause=platform/);
  await page.getByRole("combobox", { name: "Cause" }).selectOption("team_late");
  await expectAccessible(page);
  const record = await downloaded(page, page.getByRole("button", { name: "Download JSON" }));
  const kept = JSON.parse(record.content);
  expect(kept.sessions[0].counts.voided).toBe(2);
  await table.getByRole("link", { name: "Pilot program" }).first().click();
  await expect(page.getByRole("region", { name: "Void files" })).toContainText("the program never asked for the file");
});

/** Clause: R 8.3.3, R 8.3.4, platform §1 judge, platform §8 organizers */
test("judges and commission record what they found of a final's results; both read it", async ({ page, browser }) => {
  test.setTimeout(180_000);
  const mark = Date.now();
  const run = await missedFinal();
  await openDesk(page, "judge", "Protocols");
  await page.goto(`/desk/protocols?run=${run}`);
  const wanted = page.getByRole("region", { name: "Protocols that the rules ask for" });
  await expect(wanted).toContainText("the judges (R 8.3.3)");
  await expect(page.getByRole("region", { name: "Results as they are now" })).toContainText(
    "no team's solution counts",
  );
  await expect(page.getByRole("region", { name: "the technical commission" })).toHaveCount(0);
  await page.getByRole("button", { name: "The results are right" }).click();
  await expect(page.getByRole("dialog")).toHaveAccessibleDescription(/^Clause 8\.3\.3 of the regulation: /);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await rule(page, "The results are right", `every report was read ${mark}`);
  await expect(wanted).toContainText("positive");
  await expectAccessible(page);

  const commission = await (await browser.newContext()).newPage();
  await openDesk(commission, "commission", "Protocols");
  await commission.goto(`/desk/protocols?run=${run}`);
  await expect(commission.getByText(`every report was read ${mark}`)).toBeVisible();
  await rule(commission, "Object to the results", `one sum was entered twice ${mark}`);
  await expect(commission.getByRole("region", { name: "Protocols that the rules ask for" })).toContainText("objects");
  await rule(commission, "There was no mass failure", `the platform answered throughout ${mark}`);
});

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { advance, drain } from "./cloud.ts";
import { choose, expect, expectAccessible, expectNoSidewaysScroll, signIn, test } from "./fixtures.ts";
import { zipped } from "./zip.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ORGANIZER = "organizer@example.org";

async function openDesk(page: Page, room: string): Promise<void> {
  await signIn(page, ORGANIZER, "staff");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Desk" }).click();
  await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: room, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/** Press a button that asks for a reason, and give it. */
async function decide(page: Page, label: string, reason: string): Promise<void> {
  await page.getByRole("button", { name: label, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: label, exact: true }).click();
  await expect(dialog).toHaveCount(0);
}

test("a newcomer applies, the organizer approves in another window, the copied command runs a session", async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const team = `owls-${Date.now()}`;
  const theirs = await (await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] })).newPage();
  await signIn(theirs, `${team}@example.org`, "participants");
  await theirs.goto("/application");
  await theirs.getByLabel("Name of the team").fill(`Owls ${team}`);
  await theirs.getByLabel("Short name").fill(team);
  await theirs.getByLabel("Your name").fill("Olga");
  await theirs.getByLabel("E-mail").fill(`${team}@example.org`);
  await theirs.getByLabel(/accept them/).check();
  await theirs.getByRole("button", { name: "Send the application" }).click();
  await expect(theirs.getByText("under review")).toBeVisible();

  await openDesk(page, "Teams");
  await expect(page.getByText(/applications? waits? for a decision/)).toBeVisible();
  await page.getByRole("link", { name: `Owls ${team}` }).click();
  await expect(page.getByRole("region", { name: "Application" })).toContainText(`${team}@example.org`);
  await decide(page, "Approve", "Welcome.");
  await expect(page.getByRole("button", { name: "Suspend" })).toBeVisible();
  // Their page asks again every half a minute, by the machine's clock.
  await expect(theirs.getByText("approved")).toBeVisible({ timeout: 40_000 });

  await theirs.getByRole("link", { name: "The five commands to a first report" }).click();
  await theirs.getByRole("button", { name: "Create a token for my program" }).click();
  const command = String(await theirs.locator("pre", { hasText: /hrd_[\w-]{43} .* pku login/ }).textContent());
  const home = await mkdtemp(join(tmpdir(), "hurdle-owls-"));
  const env = { ...process.env, HURDLE_HOME: home, PATH: `${ROOT}.venv/bin:${process.env.PATH}` };
  const run = (said: string) => execFileSync("bash", ["-c", said], { env, encoding: "utf8" });
  try {
    run(command);
    expect(run("pku pilot --set train --files 1 --lang en")).toContain("1 of 1 files answered in time");
  } finally {
    await rm(home, { recursive: true });
  }
  await theirs.reload();
  await expect(theirs.locator("pre", { hasText: "hrd_" })).toHaveCount(0);

  // Every decision has a way back; the reason stands with the state.
  await decide(page, "Suspend", "A question to the captain");
  await expect(page.getByText("suspended")).toBeVisible();
  await expect(page.getByText("A question to the captain")).toBeVisible();
  await decide(page, "Approve again", "Answered");
  await page.getByRole("link", { name: "All sessions with their reports" }).click();
  await expect(page.getByRole("row").filter({ hasText: "1/1" })).toBeVisible();
  await theirs.context().close();
});

test("a team of the organizers': added, invited, given a token that is shown once", async ({ page, request }) => {
  const team = `made-${Date.now()}`;
  await openDesk(page, "Teams");
  await page.getByLabel("Name of the team").fill(`Made ${team}`);
  await page.getByLabel("Short name").fill(team);
  await page.getByRole("button", { name: "Add the team" }).click();
  await page.getByRole("link", { name: `Made ${team}` }).click();
  await page.getByLabel("For whom").fill("the captain");
  await page.getByLabel("as the team's captain").check();
  await page.getByRole("button", { name: "Make an invitation" }).click();
  await expect(page.getByText("It is shown this once and lasts a week")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByLabel("Name, for you to tell it by").fill("server");
  await page.getByRole("button", { name: "Create a token" }).click();
  const token = String(await page.locator("pre").textContent());
  expect((await request.get("/v1/sessions", { headers: { authorization: `Bearer ${token}` } })).status()).toBe(200);
  await page.getByRole("button", { name: "I have it" }).click();
  await expect(page.getByText(token)).toHaveCount(0);
  const row = page.getByRole("row").filter({ hasText: "server" });
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(row).toContainText("revoked");
  await advance(120);
  expect((await request.get("/v1/sessions", { headers: { authorization: `Bearer ${token}` } })).status()).toBe(403);
});

test("teams by a table: every fault at once with its line, then all of them; and all teams to keep", async ({
  page,
  quiet,
}) => {
  quiet.allow(/422/);
  await openDesk(page, "Teams");
  const bring = (text: string) =>
    page
      .getByLabel(/A table/)
      .setInputFiles({ name: "teams.csv", mimeType: "text/csv", buffer: Buffer.from(`team_id,name\n${text}`) });
  const id = `table-${Date.now()}`;
  await bring(`pilot,Again\nA B,Wrong\n${id},Right\n`);
  const faults = page.getByRole("alert");
  await expect(faults.getByRole("listitem")).toHaveCount(2);
  await expect(faults).toContainText("Line 2: there is a team pilot already");
  await expect(faults).toContainText("Line 3:");
  await bring(`${id}-a,Right\n${id}-b,"=SUM(1)"\n`);
  await expect(page.getByText("✓ 2 teams were entered.")).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  const kept = await readFile(await download.path(), "utf8");
  expect(kept).toContain(`${id}-a,Right,approved`);
  // What a spreadsheet would run is marked as text.
  expect(kept).toContain(`${id}-b,'=SUM(1)`);
});

test("staff: invited, given another role, dismissed and reinstated", async ({ page }) => {
  await openDesk(page, "Staff");
  const email = `vera-${Date.now()}@example.org`;
  await page.getByLabel("Name", { exact: true }).fill("Vera");
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("region", { name: "Invite somebody" }).getByLabel("Role").selectOption("judge");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const row = page.getByRole("row").filter({ hasText: email });
  await expect(row).toContainText("judge");
  await row.getByRole("button", { name: "Change the role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Role").selectOption("commission");
  await dialog.getByLabel("Reason").fill("The commission needs one more");
  await dialog.getByRole("button", { name: "Change the role" }).click();
  await expect(row).toContainText("commission");
  for (const [label, shows] of [
    ["Dismiss", "dismissed"],
    ["Reinstate", "commission"],
  ] as const) {
    await row.getByRole("button", { name: label }).click();
    await dialog.getByLabel("Reason").fill("As agreed");
    await dialog.getByRole("button", { name: label }).click();
    await expect(row).toContainText(shows);
  }
  await expect(row.getByRole("button", { name: "Dismiss" })).toBeVisible();
});

function essay(name: string): string {
  const meta = { id: name, name: `${name}.txt`, theme: "Reforms", taskText: "Write.", class: "11", year: 2026 };
  const text = `The reforms of ${name} changed the country.`;
  return JSON.stringify({ meta: { ...meta, subject: "hist" }, criteria: {}, selections: [], text });
}

test("a broken zip is refused with all its faults at once; mended, it is in the cycle", async ({ page }) => {
  const name = `import-${Date.now()}`;
  await openDesk(page, "Data sets");
  const bring = async (files: Record<string, string>) => {
    await page.getByLabel("Name of the set").fill(name);
    await page.getByLabel(/^Zip/).setInputFiles({
      name: "set.zip",
      mimeType: "application/zip",
      buffer: zipped(files),
    });
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Import" })).toBeVisible();
    await drain();
  };
  await bring({ "a.json": "{", "b_exp01.json": essay("b"), "c.json": essay("c") });
  await expect(page.getByText("refused: nothing of it was loaded")).toBeVisible();
  const faults = page.getByRole("region", { name: "Faults" });
  await expect(faults.getByRole("listitem").filter({ hasText: "a.json" })).toContainText("not JSON");
  await expect(faults.getByRole("listitem").filter({ hasText: "b_exp01.json" })).toContainText("there is no b.json");
  await expectAccessible(page);
  await page.reload();
  await expect(faults).toBeVisible();
  await page.getByRole("link", { name: "To the data sets" }).click();
  await expect(page.getByRole("rowheader", { name, exact: true })).toHaveCount(0);
  await bring({ "a.json": essay(`${name} a`), "c.json": essay(`${name} c`) });
  await expect(page.getByText("loaded", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "To the data sets" }).click();
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("training");
  await expect(row).toContainText("2 files");
  await row.getByRole("button", { name: "Publish" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("For everybody");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await row.getByRole("button", { name: "Take back" }).click();
  await dialog.getByLabel("Reason").fill("Too early");
  await dialog.getByRole("button", { name: "Take back" }).click();
  await expect(row.getByRole("button", { name: "Publish" })).toBeVisible();
});

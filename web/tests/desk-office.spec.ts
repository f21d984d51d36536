import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { advance, asOrganizer, drain, order, prepared } from "./cloud.ts";
import { fieldTime, newToken, revokeToken } from "./conduct.ts";
import {
  choose,
  confirm,
  downloaded,
  expect,
  expectAccessible,
  expectFitsPhone,
  expectSound,
  signIn,
  test,
} from "./fixtures.ts";
import { platformNow } from "./runs.ts";
import { zipped } from "./zip.ts";

const DAY_MS = 24 * 3_600_000;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ORGANIZER = "organizer@example.org";

async function openDesk(page: Page, room: string): Promise<void> {
  await signIn(page, ORGANIZER, "staff");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Desk" }).click();
  await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: room, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/** Clause: R 3.1, D 3.2 */
test("a newcomer applies, the organizer approves in another window, the copied command runs a session", async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const team = `owls-${Date.now()}`;
  const theirs = await (await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] })).newPage();
  await signIn(theirs, `${team}@example.org`, "participants", "/application");
  await theirs.getByLabel("Name of the team").fill(`Owls ${team}`);
  await theirs.getByLabel("Short name").fill("The Owls");
  await theirs.getByLabel("Your name").fill("Olga");
  await theirs.getByLabel("E-mail").fill(`${team}@example.org`);
  const send = theirs.getByRole("button", { name: "Send the application" });
  await send.click();
  // Both mistakes are listed with the way to them; a reload keeps what was typed.
  const summary = theirs.getByRole("alert");
  await expect(summary.getByRole("link")).toHaveCount(2);
  await expectAccessible(theirs);
  await summary.getByRole("link", { name: /Short name/ }).click();
  await expect(theirs.getByLabel("Short name")).toBeFocused();
  await theirs.getByLabel("Short name").fill(team);
  await theirs.reload();
  await expect(theirs.getByLabel("Short name")).toHaveValue(team);
  await theirs.getByLabel(/accept them/).check();
  await send.click();
  await expect(theirs.getByText("under review")).toBeVisible();

  await openDesk(page, "Teams");
  await expect(page.getByText(/applications? waits? for a decision/)).toBeVisible();
  // Teams that wait for a decision stand first.
  const states = await page.getByRole("row").getByRole("cell").and(page.locator(":nth-child(2)")).allTextContents();
  expect(states[0]).toBe("under review");
  expect(states.lastIndexOf("under review")).toBe(states.filter((each) => each === "under review").length - 1);
  await page.getByRole("link", { name: `Owls ${team}` }).click();
  await expect(page.getByRole("region", { name: "Application" })).toContainText(`${team}@example.org`);
  await confirm(page, "Approve", "Welcome.");
  await expect(page.getByRole("button", { name: "Suspend" })).toBeVisible();
  // Their page asks again every half a minute, by the machine's clock.
  await expect(theirs.getByText("approved")).toBeVisible({ timeout: 40_000 });

  await theirs.getByRole("link", { name: "The five commands to a first report" }).click();
  await theirs.getByRole("button", { name: "Create a token for my program" }).click();
  const command = String(await theirs.locator("pre", { hasText: /hrd_[\w-]{43} .* pku login/ }).textContent());
  const home = await mkdtemp(join(tmpdir(), "hurdle-owls-"));
  const env = { ...process.env, HURDLE_HOME: home, PATH: `${ROOT}.venv/bin:${process.env.PATH}` };
  const run = (said: string) => execFileSync("bash", ["-c", said], { env, encoding: "utf8", stdio: "pipe" });
  try {
    run(command);
    expect(run("pku pilot --set train --files 1 --lang en")).toContain("1 of 1 file answered in time");
  } finally {
    await rm(home, { recursive: true });
  }
  await theirs.reload();
  await expect(theirs.locator("pre", { hasText: "hrd_" })).toHaveCount(0);
  const stored = await theirs.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toContain("hrd_");

  // Every decision has a way back; the reason stands with the state.
  await confirm(page, "Suspend", "A question to the captain");
  await expect(page.getByText("suspended")).toBeVisible();
  await expect(page.getByText("A question to the captain")).toBeVisible();
  await confirm(page, "Approve again", "Answered");
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
  await expect(page.getByText("It is shown only once and lasts a week")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "I have it" }).click();
  const token = await newToken(page, "server");
  expect((await request.get("/v1/sessions", { headers: { authorization: `Bearer ${token}` } })).status()).toBe(200);
  // The token is this team's and no other's.
  type Tokens = { tokens: { revoked_at: string | null }[] };
  const tokens = await asOrganizer<Tokens>("GET", `/v1/teams/${team}/tokens`);
  expect(tokens.tokens).toMatchObject([{ revoked_at: null }]);
  await revokeToken(page, "server", token);
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
  const download = await downloaded(page, page.getByRole("button", { name: "Download CSV" }));
  const kept = download.content;
  expect(kept).toContain(`${id}-a,Right,approved`);
  // A name that a spreadsheet would run as a formula is marked as text.
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
  // Texts of the row hold those of its dialogues, too: every role's name.
  const [role, since] = [row.getByRole("cell").nth(1), row.getByRole("cell").nth(2)];
  await expect(role).toHaveText("judge");
  await row.getByRole("button", { name: "Change the role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Role").selectOption("commission");
  await dialog.getByLabel("Reason").fill("The commission needs one more");
  await dialog.getByRole("button", { name: "Change the role" }).click();
  await expect(role).toHaveText("commission");
  for (const [label, shows] of [
    ["Dismiss", /^dismissed /],
    ["Reinstate", /^\d/],
  ] as const) {
    await confirm(row, label, "As agreed");
    await expect(since).toHaveText(shows);
  }
  await expect(role).toHaveText("commission");
  await expect(row.getByRole("button", { name: "Dismiss" })).toBeVisible();
});

function essay(name: string, of = "nothing"): string {
  const meta = { id: name, name: `${name}.txt`, theme: "Reforms", taskText: "Write.", class: "11", year: 2026 };
  const text = `The reforms of ${of}, part ${name}, changed the country.`;
  return JSON.stringify({ meta: { ...meta, subject: "hist" }, criteria: {}, selections: [], text });
}

/** Clause: platform §8 organizers */
test("an export of another tool is shown first, then loaded", async ({ page }) => {
  const name = `export-${Date.now()}`;
  await openDesk(page, "Data sets");
  await page.getByLabel("Name of the set").fill(name);
  const text = `The reforms of ${name} changed the country.`;
  const files = {
    "import.json": JSON.stringify({ subject: "hist" }),
    "anna/one.txt": text,
    "anna/one.ann": "T1\tPerson 0 3\tThe\n",
    "boris/one.txt": text,
    "boris/one.ann": "R1\tOrigin Arg1:T1 Arg2:T2\n",
  };
  await page
    .getByLabel("Choose a file")
    .setInputFiles({ name: "brat.zip", mimeType: "application/zip", buffer: zipped(files) });
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Import" })).toBeVisible();
  await drain();
  await expect(page.getByText("checked, waits for your decision")).toBeVisible();
  const coming = page.getByRole("region", { name: "Another tool's export" });
  await expect(coming).toContainText("documents: 1, annotators: anna = exp01, boris = exp02");
  await expect(coming).toContainText("labels: Person 1");
  await expect(coming).toContainText("not carried: relations: 1");
  const load = page.getByRole("button", { name: "Load it" });
  await expect(load).toBeDisabled();
  await page.getByLabel("Code for Person").selectOption("leave it out");
  await expectSound(page);
  await load.click();
  await drain();
  await expect(page.getByText("loaded", { exact: true })).toBeVisible();
  await expect(coming).toContainText("not carried: relations: 1; labels to be left out: 1");
  await page.getByRole("link", { name: "To the data sets" }).click();
  const row = page.getByRole("region", { name: "Table of data sets" }).getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("1 file");
});

/** Clause: platform §8 organizers */
test("a whole cycle is made of an export and shown before anything is loaded", async ({ page }) => {
  await openDesk(page, "Data sets");
  await page.getByRole("link", { name: /^Create a cycle, or/ }).click();
  const form = page.getByRole("region", { name: "From an export of an annotation tool" });
  const files = { "anna/one.txt": "Ivan reads.", "anna/one.ann": "T1\tPER 0 4\tIvan\n" };
  await form
    .getByLabel("Choose a file")
    .setInputFiles({ name: "brat.zip", mimeType: "application/zip", buffer: zipped(files) });
  await form.getByLabel("Title in English").fill("Names");
  await form.getByLabel("Title in Russian").fill("Имена");
  await form.getByLabel("Per cent of train/test/final").fill("100");
  await expectSound(page);
  await form.getByRole("button", { name: "Look at the cycle that it makes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Import" })).toBeVisible();
  await drain();
  await expect(page.getByText("a cycle from an export", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Another tool's export" })).toContainText(
    "sets, in documents: train 1",
  );
});

/** Clause: platform §8 organizers */
test("a broken zip is refused with all its faults at once; mended, it is in the cycle", { tag: "@gate" }, async ({
  page,
}) => {
  const name = `import-${Date.now()}`;
  await openDesk(page, "Data sets");
  const bring = async (files: Record<string, string>) => {
    await page.getByLabel("Name of the set").fill(name);
    await page
      .getByLabel("Choose a file")
      .setInputFiles({ name: "set.zip", mimeType: "application/zip", buffer: zipped(files) });
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Import" })).toBeVisible();
    await drain();
  };
  await bring({ "a.json": "{", "b_exp01.json": essay("b"), "c.json": essay("c") });
  await expect(page.getByText("refused: nothing was loaded")).toBeVisible();
  const faults = page.getByRole("region", { name: "Faults" });
  await expect(faults.getByRole("listitem").filter({ hasText: "a.json" })).toContainText("not JSON");
  await expect(faults.getByRole("listitem").filter({ hasText: "b_exp01.json" })).toContainText("there is no b.json");
  await expectAccessible(page);
  await page.reload();
  await expect(faults).toBeVisible();
  await page.getByRole("link", { name: "To the data sets" }).click();
  await expect(page.getByRole("rowheader", { name, exact: true })).toHaveCount(0);
  const imports = page.getByRole("region", { name: "Latest imports" });
  const latest = imports.getByRole("row").nth(1); // after the headings
  await expect(latest).toContainText(name);
  await expect(latest).toContainText("refused: nothing was loaded");
  await expectSound(page);
  await latest.getByRole("link").click();
  await expect(faults.getByRole("listitem").first()).toBeVisible();
  await page.getByRole("link", { name: "To the data sets" }).click();
  await bring({ "a.json": essay("a", name), "c.json": essay("c", name) });
  await expect(page.getByText("loaded", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "To the data sets" }).click();
  const row = page.getByRole("region", { name: "Table of data sets" }).getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("training");
  await expect(row).toContainText("2 files");
  await row.getByRole("button", { name: "Publish" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toHaveAccessibleDescription(
    /^Clause 2\.6 of the regulation: The training set with its markups is given to every participant alike\.$/,
  );
  await dialog.getByLabel("Reason").fill("For everybody");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await confirm(row, "Take back", "Too early");
  await expect(row.getByRole("button", { name: "Publish" })).toBeVisible();
});

test("parameters: a version is looked at, announced, read field by field, and withdrawn", async ({ page, quiet }) => {
  test.setTimeout(120_000);
  quiet.allow(/409|422/);
  // A change left announced by an earlier test would be undone by another change before it.
  const { versions } = await asOrganizer<{ versions: { version: number; state: string }[] }>("GET", "/v1/parameters");
  for (const { version } of versions.filter(({ state }) => state === "pending")) {
    await asOrganizer("POST", `/v1/parameter-changes/${version}/withdrawal`, { reason: "left by another test" });
  }
  await advance(15);
  await openDesk(page, "Parameters");
  const now = await platformNow();
  const form = page.getByRole("region", { name: "Change the parameters" });
  const json = form.getByLabel(/As JSON/);
  await form.getByLabel("In force from (the contest's time, Europe/Moscow)").fill(fieldTime(now + 100 * DAY_MS));
  await form.getByLabel(/Reason/).fill("Stricter");
  const look = form.getByRole("button", { name: "Preview the changes" });
  // The page fills in the parameters in force: they change nothing.
  await look.click();
  await expect(form.getByRole("alert")).toContainText("the parameters that are in force at that moment anyway");
  const written = await json.inputValue();
  await json.fill(
    written.replace('"hardness": 0', '"hardness": 0.5').replace('"sends_per_file": 10', '"sends_per_file": "x"'),
  );
  await look.click();
  await expect(form.getByRole("alert").getByRole("listitem")).toHaveCount(1);
  await json.fill("{");
  await look.click();
  await expect(form.getByText(/This is not valid JSON/)).toBeVisible();
  await json.fill(written.replace('"hardness": 0', '"hardness": 0.5'));
  await look.click();
  const changes = form.getByRole("region", { name: "Fields that change" });
  await expect(changes.getByRole("row", { name: /track.hardness/ })).toContainText("0.5");
  await expect(form.getByText(/leaves \d+ of \d+ results on the boards by earlier rules/)).toBeVisible();
  await form.getByLabel(/In force from/).fill(fieldTime(now + 3 * DAY_MS));
  await look.click();
  await expect(form.getByText(/announced at least 7 days before it takes effect/)).toBeVisible();
  await expectAccessible(page);
  await form.getByRole("button", { name: "Change and announce" }).click();
  await expect(form.getByText(/^✓ Version \d+ is announced/)).toBeVisible();
  // The public list is cached: the platform's processes go by the cloud's clock, the browser by its own.
  await advance(60);
  const row = page.getByRole("region", { name: "Table of versions" }).getByRole("row").nth(1);
  await expect(row).toContainText("announced");
  await row.getByRole("link", { name: /what it changes/ }).click();
  const differing = page.getByRole("region", { name: "Fields that differ" });
  await expect(differing.getByRole("row", { name: /track.hardness/ })).toContainText("0.5");
  await confirm(row, "Withdraw", "Too early");
  await advance(60);
  await expect(row).toContainText("withdrawn");
});

test("announcements: a draft, its publication, a correction and a withdrawal", async ({ page }) => {
  test.setTimeout(120_000);
  await openDesk(page, "Announcements");
  const title = `Opening ${Date.now()}`;
  await page.getByRole("button", { name: "New announcement" }).click();
  await page.getByLabel("Title in Russian").fill(`Открытие ${title}`);
  await page.getByLabel("Text in Russian").fill("В среду.");
  await page.getByLabel("Title in English").fill(title);
  await page.getByLabel("Text in English").fill("On Wednesday.");
  await page.getByRole("button", { name: "Save as a draft" }).click();
  const drafts = page.getByRole("region", { name: "Drafts" });
  const draft = drafts.getByRole("article").filter({ hasText: title });
  await draft.getByRole("button", { name: "Review and publish" }).click();
  await draft.getByLabel("Text in English").fill("On Thursday.");
  await draft.getByRole("button", { name: "Publish", exact: true }).click();
  await expect(draft).toHaveCount(0);
  await expect(page.getByText("✓ Done.")).toBeVisible();
  await advance(15);
  const published = page.getByRole("region", { name: "Published" });
  const one = published.getByRole("article").filter({ hasText: title });
  await expect(one).toContainText("On Thursday.");
  await one.getByRole("button", { name: "Correct", exact: true }).click();
  await one.getByLabel("Title in English").fill(`${title}, corrected`);
  await one.getByRole("button", { name: "Publish", exact: true }).click();
  await advance(15);
  const corrected = published.getByRole("article").filter({ hasText: `${title}, corrected` });
  await expect(corrected).toBeVisible();
  await expect(published.getByRole("article").filter({ hasText: "Corrected by a later one." }).first()).toBeVisible();
  await confirm(corrected, "Withdraw", "Nothing opens");
  await advance(15);
  await expect(corrected).toContainText("Withdrawn: Nothing opens");
});

test("the check says what failed first, the audit log who did what with both states", async ({ page }) => {
  await openDesk(page, "Check");
  await expect(page.getByRole("region", { name: "✕ Failed" })).toContainText("at least 300");
  const download = await downloaded(page, page.getByRole("button", { name: "Download JSON" }));
  expect(JSON.parse(download.content)).toHaveProperty("cycle", "demo");
  const team = `log-${Date.now()}`;
  await page.goto("/desk/teams");
  await page.getByLabel("Name of the team").fill("Logged");
  await page.getByLabel("Short name").fill(team);
  await page.getByRole("button", { name: "Add the team" }).click();
  await expect(page.getByText(team, { exact: true })).toBeVisible();
  await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: "Audit log" }).click();
  await page.getByLabel("Object").fill(team);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`subject=${team}`));
  const line = page.getByRole("listitem").filter({ hasText: team });
  await expect(line).toContainText("Sample organizer");
  await line.getByText("Before and after").click();
  await expect(line.getByRole("row", { name: /^status/ })).toContainText("approved");
  await expectAccessible(page);
  const lines = await downloaded(page, page.getByRole("button", { name: "Download JSONL" }));
  expect(lines.content.trim().split("\n")).toHaveLength(1);
});

test("a job that failed for good is read, dropped with a reason, and sent again after it came back", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const name = `lost-${Date.now()}`;
  await order("/letter", { import_id: name });
  await openDesk(page, "Operations");
  const letter = page.getByRole("listitem").filter({ hasText: name });
  await expect(letter).toContainText("imports");
  await letter.getByText("The job as it was sent").click();
  await expect(letter.locator("pre")).toContainText(name);
  await expectAccessible(page);
  await confirm(letter, "Drop", "No such import");
  await expect(letter).toHaveCount(0);
  await expect(page.getByText("✓ No failed job waits for a decision.")).toBeVisible();
  await order("/letter", { import_id: name });
  await page.reload();
  await expect(letter).toBeVisible();
  await confirm(letter, "Send again");
  await expect(letter).toHaveCount(0);
});

test("what is stuck is mended and all failed jobs are sent again at once, each named before; the commission sees it", async ({
  page,
}) => {
  test.setTimeout(120_000);
  type Letters = { letters: { about: Record<string, string> }[] };
  type Doctor = { findings: { ailment: string }[] };
  const seen = async <T>(path: string) =>
    (await order<{ body: T }>("/ask", { email: "commission@example.org", method: "GET", path, headers: {} })).body;
  const waiting = async () =>
    (await seen<Letters>("/v1/dead-letters")).letters.flatMap(({ about }) => Object.values(about));
  const ails = async () => (await seen<Doctor>("/v1/doctor")).findings.map(({ ailment }) => ailment);
  const [one, two] = [`lost-${Date.now()}-1`, `lost-${Date.now()}-2`];
  await order("/letter", { import_id: one });
  await openDesk(page, "Operations");
  const stuck = page.getByRole("region", { name: "Stuck work" });
  const finding = stuck.getByRole("listitem").filter({ hasText: "jobs have failed for good" });
  await expect(finding).toBeVisible();
  expect(await ails()).toContain("dead_letters");
  await finding.getByRole("button", { name: "Repair" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("of this kind are repaired");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await waiting()).toContain(one);
  await confirm(finding, "Repair");
  await expect(finding).toHaveCount(0);
  await drain();
  expect(await waiting()).not.toContain(one);
  expect(await ails()).not.toContain("dead_letters");

  for (const name of [one, two]) await order("/letter", { import_id: name });
  await page.reload();
  await page.getByRole("button", { name: "Send all of these again" }).click();
  await expect(dialog).toContainText("2 jobs are sent again.");
  for (const name of [one, two]) await expect(dialog).toContainText(name);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Send all of these again" }).click();
  await expect(page.getByText("✓ No failed job waits for a decision.")).toBeVisible();
  await drain();
  expect(await waiting()).toEqual([]);
});

interface Priced {
  lines: readonly { cost: number }[];
}

test("what the cycle costs: every part adds up to what is asked for, and a figure may be another one", async ({
  page,
}) => {
  await openDesk(page, "Cost");
  const status = page.getByRole("main").getByRole("status").first();
  await expect(status).toContainText("for everything below");
  await page.getByLabel("Teams of a final").fill("20");
  await page.getByLabel("Files of a final").fill("500");
  await page.getByRole("spinbutton", { name: "Days" }).fill("0");
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().includes("/v1/conduct/cost?")),
    page.getByRole("button", { name: "Estimate" }).click(),
  ]);
  const told = await answer.json();
  const asked = Object.fromEntries(new URL(answer.url()).searchParams);
  expect(asked).toEqual({ teams: "20", files: "500", days: "0" });
  // The sum on the page is the platform's number, and the sum of the parts.
  const parts = [...told.finals.flatMap(({ lines }: Priced) => lines), ...told.days.lines];
  expect(parts.reduce((sum: number, { cost }: { cost: number }) => sum + cost, 0)).toBeCloseTo(told.cost, 6);
  const shown = Number(/\$([\d.,]+)/.exec((await status.textContent()) ?? "")?.[1]?.replaceAll(",", ""));
  expect(Math.abs(shown - told.cost)).toBeLessThan(Math.max(0.005, told.cost / 500));
  await expect(page.getByRole("heading", { name: "Days of the deployment: $0.00" })).toBeVisible();
  await expect(page).toHaveURL(/teams=20&/);
  // Parts that the cycle's file switches on are paid for by the days.
  await page.getByLabel("Machines for submitted programs").check();
  await page.getByRole("spinbutton", { name: "Days" }).fill("30");
  await page.getByRole("button", { name: "Estimate" }).click();
  await expect(page).toHaveURL(/with=programs/);
  await expect(page.getByLabel("Machines for submitted programs")).toBeChecked();
  await expect(page.getByRole("main")).toContainText("an endpoint of programs");
  await choose(page, "ru", "light");
  await page.reload();
  await expect(page.getByRole("main")).toContainText(", по данным https://");
  await expect(page.getByRole("main")).not.toContainText("as quoted by");
  await expectAccessible(page);
  await expectFitsPhone(page);
});

for (const [language, button, clause] of [
  ["en", "Disqualify", "Clause 11.7 of the regulation: A team that breaks a ban can be excluded from later cycles."],
  [
    "ru",
    "Дисквалифицировать",
    "Пункт 11.7 регламента: Команду, нарушившую запрет, могут отстранить от участия в следующих циклах.",
  ],
] as const) {
  test(`who decides by a clause reads what it says, in their own language (${language})`, async ({ page }) => {
    const { team } = await prepared();
    await choose(page, language, "light");
    await signIn(page, ORGANIZER, "staff");
    await page.goto(`/desk/teams/${team}`);
    await page.getByRole("button", { name: button, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toHaveAccessibleDescription(clause);
    await expect(dialog.getByText(clause)).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /^(Cancel|Отмена)$/ }).click();
  });
}

test("what was asked too fast is asked once more when its time has come, with all that was said", async ({
  page,
  quiet,
}) => {
  quiet.allow(/429 \(Too Many Requests\)/);
  await openDesk(page, "Data sets");
  const header = page.getByRole("rowheader", { name: "train", exact: true });
  const row = page.getByRole("region", { name: "Table of data sets" }).getByRole("row").filter({ has: header });
  const said: string[] = [];
  await page.route("**/v1/sets/train/publication", async (route) => {
    said.push(route.request().postData() ?? "");
    if (said.length > 1) return route.continue();
    const error = { code: "rate_limited", message: "Slowly.", message_ru: "", details: [], request_id: "r" };
    const headers = { "retry-after": "1", "content-type": "application/problem+json" };
    return route.fulfill({ status: 429, headers, body: JSON.stringify({ error }) });
  });
  await confirm(row, "Publish", "For everybody");
  await expect(row.getByRole("button", { name: "Take back" })).toBeVisible();
  expect(said).toHaveLength(2);
  expect(said[1]).toBe(said[0]);
  expect(said[1]).toContain("For everybody");
  await confirm(row, "Take back", "It was a test");
  await expect(row.getByRole("button", { name: "Publish" })).toBeVisible();
});

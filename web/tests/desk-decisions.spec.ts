import type { Page } from "@playwright/test";
import { Program } from "./cabinetProgram.ts";
import { advance, asParticipant, CLOUD, order, prepared } from "./cloud.ts";
import { cell, decide, fieldTime } from "./conduct.ts";
import { choose, expect, expectAccessible, forgetAnswers, signIn, test } from "./fixtures.ts";
import { openNext, planned, platformNow, stopLeft, twoTeams } from "./runs.ts";

const ORGANIZER = "organizer@example.org";
const COMMISSION = "commission@example.org";

interface Run {
  run_id: string;
  state: string;
  set: string;
  restarts: string | null;
  total_files: number;
  mass_failure: { numbers: number[]; standing: string; dismissed: { reason: string } | null } | null;
  amendments: { number: number; kind: string; reason: string; details: Record<string, unknown> }[];
}

interface Status {
  state: string;
  deliveries: { number: number; state: string; cause: string | null }[];
}

let second = "";

test.beforeAll(async () => {
  test.setTimeout(180_000);
  second = await twoTeams();
});

test.beforeEach(stopLeft);
test.afterAll(stopLeft);

/** Return the run as sent to the commission, which decided nothing here. */
async function told(run: string): Promise<Run> {
  const asked = { email: COMMISSION, method: "GET", path: `/v1/conduct/runs/${run}`, headers: {} };
  return (await order<{ body: Run }>("/ask", asked)).body;
}

/** Return a team's session as sent to the team. */
async function teams(session: string): Promise<Status> {
  return (await asParticipant<Status>((await prepared()).captain, "GET", `/v1/sessions/${session}`)).body;
}

async function open(page: Page, run: string): Promise<void> {
  await choose(page, "en", "light");
  await signIn(page, ORGANIZER, "staff");
  await page.goto(`/desk/runs/${run}`);
  await expect(page.getByRole("grid", { name: "Teams and files" })).toBeVisible();
}

test("files are replaced and annulled after a preview, and one annulment is taken back; the team sees the same", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const run = await planned({ files: 3, interval_s: 200 });
  const program = await Program.join(run, (await prepared()).token);
  await Program.join(run, second);
  await open(page, run);
  await openNext(run);
  await program.answer(await program.take(1));
  await expect(cell(page, "pilot", "file 1: answered")).toBeVisible();
  const dialog = page.getByRole("dialog");

  // No preview is requested for an invalid list of files, and nothing is decided without its preview.
  await page.getByRole("button", { name: "Replace files…" }).click();
  await dialog.getByLabel("Files (3, 5-7)").fill("two");
  await expect(dialog.getByRole("button", { name: "Show what would change" })).toBeDisabled();
  await dialog.getByLabel("Files (3, 5-7)").fill("2");
  await dialog.getByRole("button", { name: "Show what would change" }).click();
  await expect(dialog.getByRole("region", { name: "What would change" })).toContainText("void: 2");
  await expectAccessible(page);
  expect((await told(run)).amendments).toEqual([]);
  await decide(page, /Replace 2 for all 2 teams/, "its text was shown on television");
  const replaced = await told(run);
  expect(replaced.amendments).toMatchObject([
    { kind: "replace", reason: "its text was shown on television", details: { numbers: [2] } },
  ]);
  expect(replaced.total_files).toBe(4);
  await expect(page.getByText("file 1 of 4 is open")).toBeVisible();

  await advance(2);
  await page.getByRole("button", { name: "Annul files…" }).click();
  await dialog.getByLabel("Files (3, 5-7)").fill("1");
  await dialog.getByRole("button", { name: "Show what would change" }).click();
  await decide(page, /Annul 1 for all 2 teams/, "a misprint in the task");
  await expect(cell(page, "pilot", "file 1: void by the organizers' decision")).toBeVisible();
  expect((await teams(program.sessionId)).deliveries[0]).toMatchObject({
    state: "voided",
    cause: "organizer_decision",
  });

  // Only the second of the two decisions is taken back.
  const decisions = page.getByRole("region", { name: "Decisions", exact: true });
  const { amendments } = await told(run);
  await advance(2);
  const annulment = amendments.find(({ kind }) => kind === "void")?.number;
  await decisions.getByRole("button", { name: `Take back… (decision ${annulment})` }).click();
  await decide(page, new RegExp(`Take decision ${annulment} back`), "there was no misprint");
  await expect(decisions.getByRole("row").filter({ hasText: "a misprint in the task" })).toContainText("(taken back)");
  await expect(decisions.getByRole("row").filter({ hasText: "shown on television" })).not.toContainText("taken back");
  await expect(cell(page, "pilot", "file 1: answered")).toBeVisible();
  await expect(cell(page, "pilot", "file 2: void by the organizers' decision")).toBeVisible();
  const session = await teams(program.sessionId);
  expect(session.deliveries.map(({ state }) => state)).toEqual(["answered", "voided", "waiting", "waiting"]);
  expect((await told(run)).amendments.map(({ kind }) => kind)).toEqual(["replace", "void", "undo"]);
  await expectAccessible(page);
});

test("a run is stopped for good: the page, the team's session and everybody's page of the run say so", async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000);
  const run = await planned({ files: 3 });
  const program = await Program.join(run, (await prepared()).token);
  await open(page, run);
  await openNext(run);
  await page.getByRole("button", { name: "Stop…" }).click();
  await expect(page.getByRole("dialog")).toContainText("1 open session would end.");
  await expectAccessible(page);
  await decide(page, /Stop the run for good/, "fire in the hall");
  await expect(page.getByRole("status").filter({ hasText: "stopped" })).toBeVisible();
  await expect(page.getByRole("button", { name: /Pause…|Resume…|Stop…|Replace files…/ })).toHaveCount(0);
  expect(await told(run)).toMatchObject({
    state: "stopped",
    amendments: [{ kind: "stop", reason: "fire in the hall" }],
  });
  await advance(120);
  expect((await teams(program.sessionId)).state).toBe("stopped");
  // The commission reads who decided by name, though it sees no list of the staff.
  const theirs = await (await browser.newContext()).newPage();
  await choose(theirs, "en", "light");
  await signIn(theirs, COMMISSION, "staff");
  await theirs.goto(`/desk/runs/${run}`);
  const row = theirs.getByRole("region", { name: "Decisions", exact: true }).getByRole("row");
  await expect(row.filter({ hasText: "fire in the hall" })).toContainText("Sample organizer");
  await theirs.context().close();
  const publicly = (await (await fetch(`${CLOUD}/v1/runs/${run}`)).json()) as { state: string };
  expect(publicly.state).toBe("stopped");
});

/** Clause: R 7.16.2 */
test("a run is restarted on the reserve set: its preview first, then the old one is stopped and the new one planned", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const run = await planned({ files: 3 });
  const program = await Program.join(run, (await prepared()).token);
  await open(page, run);
  await openNext(run);
  await page.getByRole("button", { name: "Restart…" }).click();
  const dialog = page.getByRole("dialog");
  const look = dialog.getByRole("button", { name: "Show what would change" });
  await expect(look).toBeDisabled();
  const start = (await platformNow()) + 900_000;
  await dialog.getByLabel(/First file opens/).fill(fieldTime(start));
  await look.click();
  const preview = dialog.getByRole("region", { name: "What would change" });
  await expect(preview).toContainText("A new run of 3 files of the set reserve would start");
  await expect(preview).toContainText("1 open session would end.");
  expect((await told(run)).state).toBe("running");
  const deed = dialog.getByRole("button", { name: "Stop this run and plan the new one" });
  await expect(deed).toBeDisabled();
  await dialog.getByLabel(/Reason/).fill("the texts had leaked");
  await expectAccessible(page);
  await deed.click();
  await page.waitForURL((address) => !address.pathname.endsWith(run));
  const successor = page.url().split("/").at(-1) as string;
  await expect(page.getByRole("link", { name: run })).toBeVisible();
  expect(await told(successor)).toMatchObject({ state: "planned", set: "reserve", restarts: run, total_files: 3 });
  await advance(120);
  expect(await told(run)).toMatchObject({ state: "stopped", amendments: [{ reason: "the texts had leaked" }] });
  expect((await teams(program.sessionId)).state).toBe("stopped");
  // Visitors of the site read that there is another run, and when.
  await page.goto("/runs");
  await page.locator(`a[href$="${successor}"]`).click();
  await expect(page.getByText("planned", { exact: true })).toBeVisible();
});

test("a proposal on a mass failure is dismissed with its reason; the files stay the teams' own loss", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const run = await planned({ files: 5 });
  const program = await Program.join(run, (await prepared()).token);
  const other = await Program.join(run, second);
  await open(page, run);
  await openNext(run);
  for (const each of [program, other]) await each.answer(await each.take(1));
  // No program requests the next three files; a timer detects it.
  for (let file = 2; file <= 4; file += 1) await openNext(run);
  await advance(96);
  await advance(60);
  const proposal = page.getByRole("region", { name: "Proposal on a mass failure" });
  await expect(proposal).toContainText("Everybody missed the files 2–4 at once.");
  await expectAccessible(page);
  await proposal.getByRole("button", { name: "Replace them…" }).click();
  await expect(page.getByRole("dialog").getByRole("heading")).toHaveText("Replace files by reserve ones?");
  await expect(page.getByRole("dialog").getByRole("region", { name: "What would change" })).toContainText("void: 2–4");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  expect((await told(run)).mass_failure?.standing).toBe("open");
  await proposal.getByRole("button", { name: "Dismiss" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("stay missed for every team");
  await expect(dialog.getByRole("button", { name: "Dismiss" })).toBeDisabled();
  await dialog.getByLabel(/Reason/).fill("both programs had fallen over");
  await dialog.getByRole("button", { name: "Dismiss" }).click();
  await expect(proposal).toContainText("both programs had fallen over");
  await expect(proposal.getByRole("button")).toHaveCount(0);
  const after = await told(run);
  expect(after.mass_failure).toMatchObject({
    numbers: [2, 3, 4],
    standing: "dismissed",
    dismissed: { reason: "both programs had fallen over" },
  });
  expect((await teams(program.sessionId)).deliveries.map(({ cause }) => cause)).toEqual([
    null,
    "team_late",
    "team_late",
    "team_late",
    null,
  ]);
});

test("the qualification's board is frozen, withdrawn and published again, and everybody sees exactly that", async ({
  page,
  browser,
  quiet,
}) => {
  quiet.allow(/403/);
  test.setTimeout(120_000);
  await choose(page, "en", "light");
  await signIn(page, ORGANIZER, "staff", "/desk/settlement");
  const section = page.getByRole("region", { name: "Board of the qualification" });
  const visitor = await (await browser.newContext()).newPage();
  await choose(visitor, "en", "light");
  const says = async (text: RegExp) => {
    await advance(60);
    await forgetAnswers(visitor);
    await visitor.goto("/boards");
    await expect(visitor.getByText(text).first()).toBeVisible();
  };
  type Board = { state?: string; error?: { code: string } };
  const board = async () => (await (await fetch(`${CLOUD}/v1/leaderboards/qualification`)).json()) as Board;
  for (const [label, state, seen] of [
    ["Freeze", "frozen", /frozen/i],
    ["Withdraw", "hidden", /hidden|not shown/i],
    ["Publish", "published", /Pilot program/],
  ] as const) {
    // A person may ask ten times a second; no person reads and decides within one.
    await advance(2);
    await section.getByRole("button", { name: label, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: label, exact: true })).toBeDisabled();
    await dialog.getByLabel(/Reason/).fill(`the commission looks at it: ${state}`);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await expect(section.getByRole("button", { name: label, exact: true })).toHaveCount(0);
    await says(seen);
    const seenByAll = await board();
    expect(seenByAll.error ? seenByAll.error.code : seenByAll.state).toBe(state === "hidden" ? "board_hidden" : state);
  }
  await visitor.context().close();
});

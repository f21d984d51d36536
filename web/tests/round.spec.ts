import type { Page } from "@playwright/test";
import { PORT } from "./cloud.ts";
import { choose, expect, expectAccessible, expectSound, forgetAnswers, signIn, test } from "./fixtures.ts";
import { OwnCloud } from "./ownCloud.ts";

const diagnosis = new OwnCloud("diagnosis", PORT + 26, "rounds");
const ORGANIZER = "organizer@example.org";
const COMMISSION = "commission@example.org";
/** Seed of the lot; any would do. */
const SEED = "20260921";
const ROUND_S = 601;
const ROUNDS = 16;

const ask: OwnCloud["as"] = diagnosis.as.bind(diagnosis);

/** Return the answers and the comment of a user's review, as stored by the platform. */
async function said(email: string): Promise<{ answers: object; comment: string }> {
  const { body } = await ask(email, "GET", "/v1/round");
  return { answers: body.answers, comment: body.comment };
}

const headings = (page: Page) => page.getByRole("listitem").getByRole("heading", { level: 3 });
const choice = (page: Page, question: number, name: "yes" | "no") =>
  page.getByRole("main").getByRole("group").nth(question).getByRole("radio", { name });

async function expectSaved(page: Page): Promise<void> {
  await expect(page.locator("[data-state=saved]", { hasText: "✓" })).toBeVisible();
}

test.describe("rounds of stage 2", () => {
  // Each goes on with what the one before it left.
  test.describe.configure({ mode: "serial" });
  let run = "";
  let clinicians: string[] = [];
  /** E-mails: two who judge the program that worked on the first file to its end; one who judges the idle program. */
  let [first, second, idle] = ["", "", ""];
  diagnosis.raisedForGroup((told) => {
    ({ run, clinicians } = told);
  });

  /** Clause: D 9.10.7, D 9.10.8.5 */
  test("the commission chooses what is replayed to whom, and draws the lot once", async ({ page, quiet }) => {
    quiet.allow(/404 \(Not Found\)/);
    await signIn(page, COMMISSION, "staff");
    await page.goto(`/desk/runs/${run}`);
    await page.getByRole("link", { name: "Stage 2: work replayed for clinicians" }).click();
    await expect(page.getByRole("main").getByRole("status")).toHaveText("Clinicians are chosen: 0; 8 are wanted.");
    for (const email of clinicians) await page.getByRole("checkbox", { name: email }).check();
    await page.getByRole("textbox", { name: "Files of the run, one a round" }).fill("1-15");
    await expect(page.getByRole("main").getByRole("status")).toHaveText("Files are chosen: 15; 16 to 32 are wanted.");
    await page.getByRole("textbox", { name: "Files of the run, one a round" }).fill("1-16");
    await expect(page.getByRole("main").getByRole("status")).toHaveText("The seed is a whole number.");
    await page.getByRole("spinbutton", { name: /^Seed of the lot/ }).fill(SEED);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Draw the lot" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText(`drawn from the seed ${SEED}, once for all rounds`);
    await dialog.getByRole("textbox").fill("protocol 1 of the experts");
    await dialog.getByRole("button", { name: "Draw the lot" }).click();
    const { seed, systems } = (await ask(COMMISSION, "GET", `/v1/replays/${run}/lot`)).body;
    expect(seed).toBe(Number(SEED));
    const lot = page.getByRole("region", { name: "Table of the lot" });
    await expect(lot.getByRole("row")).toHaveCount(1 + systems.length + clinicians.length);
    for (const { id, name } of systems) {
      await expect(lot.getByRole("row", { name: `${name} Team ${id} program`, exact: true })).toBeVisible();
    }
    await expect(lot.getByRole("row", { name: /^КС1 Sample clinician-\d clinician$/ })).toBeVisible();
    await expect(page.getByRole("button", { name: /^Open round/ })).toHaveCount(0);
    await expect(page.getByText("Rounds are opened by organizers.")).toBeVisible();
    await expectAccessible(page);
  });

  test("without a round the page says so, and what is opened stands there by itself", async ({
    page,
    browser,
    quiet,
  }) => {
    quiet.allow(/404 \(Not Found\)/);
    const [anyone = ""] = clinicians;
    await signIn(page, anyone, "staff");
    await page.getByRole("link", { name: "My round" }).click();
    await expect(page.getByRole("main").getByRole("status")).toContainText("No round is open for you now");
    await expectAccessible(page);
    const desk = await browser.newPage();
    await signIn(desk, ORGANIZER, "staff");
    await desk.goto(`/desk/runs/${run}/replay`);
    await desk.getByRole("button", { name: "Open round 1", exact: true }).click();
    await expect(desk.getByRole("dialog")).toContainText("10 minutes from now on. The round cannot be stopped.");
    await desk.getByRole("dialog").getByRole("button", { name: "Open round 1" }).click();
    await expect(desk.getByRole("status").filter({ hasText: /^Round 1 of 16 goes on until/ })).toBeVisible();
    await expect(desk.getByRole("button", { name: /^Open round/ })).toHaveCount(0);
    await desk.close();
    const found = await Promise.all(
      clinicians.map(async (email) => ({ email, total: (await ask(email, "GET", "/v1/round")).body.total as number })),
    );
    const judging = (parts: number) => found.filter(({ total }) => total === parts).map(({ email }) => email);
    [first = "", second = ""] = judging(5);
    [idle = ""] = judging(2);
    expect([first, second, idle]).not.toContain("");
  });

  test("a clinician sees the work turn by turn, answers by keys, comments, and undoes", async ({ page }) => {
    await signIn(page, first, "staff", "/round");
    await expect(headings(page)).toHaveText(["The first data"]);
    await expect(page.getByRole("region", { name: "The first data" })).toContainText("Жалобы");
    await page.keyboard.press("n");
    await expect(headings(page)).toHaveText(["The first data", /^Preliminary diagnosis: C34/]);
    await expect(headings(page).nth(1)).toBeFocused();
    await page.keyboard.press("1");
    await page.keyboard.press("n");
    await expect(headings(page).last()).toHaveText(/^Asks for a study: A06.09/);
    await expect(page.getByRole("region", { name: "Result of A06.09.007" })).toBeVisible();
    await page.getByRole("button", { name: /^Show the next turn/ }).click();
    await expect(page.getByText("No such study exists.")).toBeVisible();
    await page.keyboard.press("n");
    await expect(headings(page).last()).toHaveText(/^Final diagnosis: J44/);
    await expect(page.getByText("This was all of the program's work.")).toBeVisible();
    await page.keyboard.press("Shift+2");
    await page.keyboard.press("3");
    await expect(page.getByRole("main")).toContainText("Every question is answered.");
    await page.keyboard.press("Control+z");
    await expect(choice(page, 2, "yes")).not.toBeChecked();
    await page.keyboard.press("Control+Shift+z");
    await expect(choice(page, 2, "yes")).toBeChecked();
    await page.keyboard.press("c");
    await page.keyboard.type("3n: a study 😀 too many");
    await expectSaved(page);
    await expectAccessible(page);
    const answers = { preliminary: true, requests: false, final: true };
    expect(await said(first)).toEqual({ answers, comment: "3n: a study 😀 too many" });
    const shown = (await ask(first, "GET", "/v1/round")).body.parts;
    expect(shown).toHaveLength(5);
    await page.reload();
    await expect(headings(page)).toHaveCount(5);
    await expect(choice(page, 1, "no")).toBeChecked();
    await expect(page.getByRole("textbox")).toHaveValue("3n: a study 😀 too many");
  });

  test("a clinician with two devices is asked which review counts; nothing is lost", async ({
    page,
    browser,
    quiet,
  }) => {
    quiet.allow(/409 \(Conflict\)/);
    await signIn(page, first, "staff", "/round");
    await expect(choice(page, 1, "no")).toBeChecked();
    const other = await browser.newContext();
    const device = await other.newPage();
    await signIn(device, first, "staff", "/round");
    await expect(choice(device, 1, "no")).toBeChecked();
    // A key that is pressed before the page may write is nobody's answer.
    await expect(choice(device, 1, "yes")).toBeEnabled();
    await device.keyboard.press("2");
    await expectSaved(device);
    expect((await said(first)).answers).toMatchObject({ requests: true });
    await page.getByRole("textbox").fill("from the first device");
    const conflict = page.getByRole("alert", { name: "Another device saved a newer draft" });
    await expect(conflict).toContainText("from the first device");
    await expectAccessible(page);
    await conflict.getByRole("button", { name: "Continue with this device's draft" }).click();
    await expect(conflict).toBeHidden();
    await expectSaved(page);
    expect(await said(first)).toMatchObject({ answers: { requests: false }, comment: "from the first device" });
    await device.keyboard.press("Shift+1");
    const there = device.getByRole("alert", { name: "Another device saved a newer draft" });
    await there.getByRole("button", { name: /^Continue with the other draft/ }).click();
    await expect(there).toBeHidden();
    await expect(device.getByRole("textbox")).toHaveValue("from the first device");
    expect(await said(first)).toMatchObject({ answers: { preliminary: true }, comment: "from the first device" });
    await other.close();
  });

  test("what is said offline outlives a reload, is saved later; in Russian, dark, on a phone", async ({
    page,
    context,
    quiet,
  }) => {
    quiet.allow(/ERR_INTERNET_DISCONNECTED|Failed to load resource|Failed to fetch/);
    await choose(page, "ru", "dark");
    await signIn(page, second, "staff", "/round");
    await page.getByRole("button", { name: /^Показать следующий/ }).click();
    await expect(headings(page)).toHaveCount(2);
    await page.keyboard.press("1");
    await expectSaved(page);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await context.setOffline(true);
    await page.keyboard.press("Shift+2");
    await page.getByRole("textbox").fill("без сети");
    await expect(page.locator("[data-state=kept]")).toBeVisible();
    // Asked before the page is left: its request on leaving bypasses the browser's offline switch.
    expect((await said(second)).comment).toBe("");
    await page.reload();
    await expect(page.getByRole("textbox")).toHaveValue("без сети");
    await expect(page.locator("[data-state=kept]")).toBeVisible();
    await context.setOffline(false);
    // The request sent on leaving may have arrived already: then there is nothing more to save.
    await expect(page.locator("[data-state=saved]")).toBeVisible();
    const [preliminary, requests] = [true, false];
    await expect(page.getByRole("textbox")).toHaveValue("без сети");
    expect(await said(second)).toEqual({ answers: { preliminary, requests }, comment: "без сети" });
    await page.setViewportSize({ width: 360, height: 740 });
    await expectSound(page);
  });

  test("a program without a diagnosis is shown as one; after the time the page says so", async ({ page, quiet }) => {
    quiet.allow(/409 \(Conflict\)/);
    await signIn(page, idle, "staff", "/round");
    await expect(headings(page)).toHaveText(["The first data"]);
    // A key that is pressed before the page may write asks for nothing.
    await expect(page.getByRole("button", { name: /^Show the next turn/ })).toBeVisible();
    await page.keyboard.press("n");
    await expect(headings(page).last()).toHaveText(/^The time ran out without a final diagnosis/);
    await page.keyboard.press("Shift+3");
    await expectSaved(page);
    await diagnosis.order("/clock", { seconds: ROUND_S });
    await forgetAnswers(page);
    await page.reload();
    await expect(page.getByRole("main")).toContainText("answers saved before count");
    await expect(page.getByRole("main")).toContainText("The next round will appear here");
    await expect(choice(page, 2, "no")).toBeChecked();
    await expect(choice(page, 2, "no")).toBeDisabled();
    await expect(page.getByRole("button", { name: /^Show the next turn/ })).toBeHidden();
    await expectAccessible(page);
    expect((await said(idle)).answers).toEqual({ final: false });
    const refused = await ask("participant@example.org", "GET", "/v1/round", undefined, undefined, "participants");
    expect(refused.status).toBe(403);
    expect((await ask(ORGANIZER, "GET", "/v1/round")).status).toBe(403);
  });

  /** Clause: D 9.10.8.7 */
  test("after all rounds the commission closes the stage, once; its results stand there", async ({ page, quiet }) => {
    quiet.allow(/404 \(Not Found\)/);
    for (let round = 2; round <= ROUNDS; round += 1) {
      expect((await ask(ORGANIZER, "POST", `/v1/replays/${run}/rounds`)).status).toBe(200);
      await diagnosis.order("/clock", { seconds: ROUND_S });
    }
    await signIn(page, COMMISSION, "staff");
    await page.goto(`/desk/runs/${run}/replay`);
    await expect(page.getByRole("main").getByRole("status")).toHaveText(
      `All ${ROUNDS} rounds were held. The stage waits to be closed.`,
    );
    await page.getByRole("button", { name: "Close the stage" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("You cannot undo this.");
    await dialog.getByRole("textbox").fill("protocol 2 of the experts");
    await dialog.getByRole("button", { name: "Close the stage" }).click();
    await expect(page.getByRole("main").getByRole("status")).toContainText("the stage is closed");
    await expect(page.getByRole("button", { name: "Close the stage" })).toHaveCount(0);
    const { body } = await ask(COMMISSION, "GET", `/v1/replays/${run}`);
    for (const [team] of body.results.rows) await expect(page.getByRole("main")).toContainText(`Team ${team}`);
    await expectAccessible(page);
    const again = await ask(COMMISSION, "POST", `/v1/replays/${run}/close`, { reason: "once more" });
    expect(again.status).toBe(409);
  });
});

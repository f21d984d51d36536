import { readFile, writeFile } from "node:fs/promises";
import { PORT } from "./cloud.ts";
import { choose, confirm, expect, expectAccessible, expectSound, signIn, test } from "./fixtures.ts";
import { type Bringable, enter, submit, Taking } from "./submissions.ts";

const ORGANIZER = "organizer@example.org";
const STATE = "States of the submission";

test.describe.configure({ timeout: 120_000 });

/** Return a file of answers to the exam's test set, with the same answer to every item. */
async function answers(change: (said: Record<string, string>) => object = (said) => said): Promise<Bringable> {
  const place = new URL("../../local/contests/exam/test/use.json", import.meta.url);
  const items = JSON.parse(await readFile(place, "utf8")) as { meta: { id: string | number } }[];
  const said = Object.fromEntries(items.map(({ meta }) => [String(meta.id), "1"]));
  const buffer = Buffer.from(JSON.stringify(change(said)));
  return { name: "answers.json", mimeType: "application/json", buffer };
}

/** Other answers to every item: a file that differs from a scored one in fewer than ten is refused. */
const others = (said: Record<string, string>) => Object.fromEntries(Object.keys(said).map((id) => [id, "2"]));

test.describe("a file of answers", () => {
  const exam = new Taking("exam", PORT + 12, "people").raisedForGroup();

  /** Clause: TS T13, TS F-5, platform §8 cabinet */
  test("is brought, checked, scored and receipted before the eyes of its team, and is nobody else's", async ({
    page,
  }) => {
    await enter(page);
    await expect(page.getByText("3 submissions that are scored")).toBeVisible();
    await expect(page.getByText("No submissions yet.")).toBeVisible();
    await expectAccessible(page);
    const id = await submit(page, await answers());
    await expect(page.getByRole("list", { name: STATE }).locator("[aria-current=step]")).toHaveText("scored");
    const { value } = await exam.newest();
    await expect(page.getByText("Result:")).toContainText(Number(value).toFixed(3));
    await expectAccessible(page);
    const tabs = page.getByRole("navigation", { name: "Submission", exact: true });
    await tabs.getByRole("link", { name: "Report" }).click();
    await expect(page.getByText("30 of 30; missing answers count as wrong")).toBeVisible();
    await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
    await expectAccessible(page);
    await tabs.getByRole("link", { name: "Receipt" }).click();
    await expect(page.getByText("✓ Signed by the platform for this file.")).toBeVisible();
    await expectAccessible(page);
    const stranger = await exam.stranger();
    for (const what of ["", "/report", "/logs", "/parts/1"]) {
      const { status, body } = await exam.asProgram(stranger, "GET", `/v1/submissions/${id}${what}`);
      expect([what, status, body.error.code]).toEqual([what, 404, "unknown_submission"]);
    }
    await page.goto("/cabinet/submissions");
    await expect(page.getByText("2 submissions that are scored")).toBeVisible();
    await expect(page.getByRole("row", { name: new RegExp(id) })).toContainText("✓ scored");
  });

  /** Clause: TS U-4 */
  test("that answers what nobody asked is refused with every fault by its name", async ({ page }) => {
    await enter(page);
    await submit(page, await answers((said) => ({ ...said, 777001: "1", 777002: "2" })));
    const faults = page.getByRole("region", { name: /Faults: 1/ });
    await expect(faults).toContainText("777001");
    await expect(faults).toContainText("777002");
    await expect(page.getByRole("list", { name: STATE }).locator("[aria-current=step]")).toHaveText("refused");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Report", exact: true }).click();
    await expect(page.getByText(/No report: only a scored submission has one/)).toBeVisible();
    await choose(page, "ru", "dark");
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto("/cabinet/submissions");
    await expect(page.getByText("9 посылок без оценки")).toBeVisible();
    await expectSound(page);
  });

  /** Clause: TS T13 */
  test("whose connection is lost goes on by itself; after a reload the same file is chosen again, and no other", async ({
    page,
    quiet,
  }) => {
    quiet.allow(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_ABORTED/);
    await enter(page);
    let network: "lost" | "slow" | "back" = "lost";
    let hanging = 0;
    await page.route(/\/uploads\//, async (route) => {
      if (network === "lost") await route.abort("internetdisconnected");
      else if (network === "back") await route.fallback();
      else hanging += 1;
    });
    await submit(page, await answers(others));
    await expect(page.getByRole("alert").filter({ hasText: "The upload continues when it is back" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Stop the upload" })).toBeVisible();
    network = "slow";
    await expect(() => expect(hanging).toBe(1)).toPass();
    network = "back";
    page.on("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await expect(page.getByText("0 of 1 parts have arrived. Choose answers.json again")).toBeVisible();
    await expectAccessible(page);
    const chosen = page.getByLabel("Announced file");
    await chosen.setInputFiles(await answers());
    await expect(page.getByRole("alert")).toContainText("This is not the announced file");
    await chosen.setInputFiles(await answers(others));
    await expect(page.getByRole("list", { name: STATE }).locator("[aria-current=step]")).toHaveText("scored");
  });

  test("that is stopped stands still until it is gone on with", async ({ page, quiet }) => {
    quiet.allow(/ERR_ABORTED/);
    await enter(page);
    await page.route(/\/uploads\//, () => undefined);
    await submit(page, await answers((said) => ({ ...said, [Object.keys(said)[1] as string]: "3" })));
    await page.getByRole("button", { name: "Stop the upload" }).click();
    await expect(page.getByText(/The upload is interrupted: 0 of 1 parts/)).toBeVisible();
    await page.unroute(/\/uploads\//);
    await page
      .getByLabel("Announced file")
      .setInputFiles(await answers((said) => ({ ...said, [Object.keys(said)[1] as string]: "3" })));
    await expect(page.getByRole("list", { name: STATE }).locator("[aria-current=step]")).toHaveText("scored");
  });

  /** Clause: TS T13 */
  test("that nobody wants any more is given up at once, after a question, and its place is free", async ({
    page,
    quiet,
  }) => {
    quiet.allow(/ERR_ABORTED/);
    await enter(page);
    await page.route(/\/uploads\//, () => undefined);
    const id = await submit(page, await answers((said) => ({ ...said, [Object.keys(said)[2] as string]: "4" })));
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Discard the upload" }).click();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("button", { name: "Stop the upload" })).toBeVisible();
    await confirm(page, "Discard the upload");
    await expect(page.getByText("the team gave the upload up", { exact: false })).toBeVisible();
    await expect(page.getByRole("button", { name: "Discard the upload" })).toHaveCount(0);
    expect((await exam.read<{ state: string }>(`/v1/submissions/${id}`)).state).toBe("refused");
  });

  /** Clause: platform §8 organizers */
  test("stands at the desk with its team, by state, with its report", async ({ page }) => {
    await signIn(page, ORGANIZER, "staff", "/desk");
    await page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: "Submissions" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Submissions" })).toBeVisible();
    await page.getByRole("combobox", { name: "State" }).selectOption({ label: "scored" });
    await expect(page).toHaveURL(/state=scored/);
    const row = page.getByRole("row", { name: /Pilot program/ }).last();
    await expect(row).toContainText("✓ scored");
    await expect(page.getByText("✕ refused")).toHaveCount(0);
    await expectAccessible(page);
    await row.getByRole("link").click();
    await page.getByRole("link", { name: "Report", exact: true }).click();
    await expect(page.getByText("30 of 30; missing answers count as wrong")).toBeVisible();
    await expectAccessible(page);
  });
});

test.describe("a program", () => {
  const fusion = new Taking("fusion", PORT + 14).raisedForGroup();

  /** Clause: TS F-4, TS F-7, TS F-8 */
  test("shows its run and its log, is named for the private test, and its model is declared and confirmed", async ({
    page,
  }) => {
    await enter(page);
    const { submission_id: id, value } = await fusion.newest();
    await page.getByRole("link", { name: id }).click();
    await expect(page.getByText("Result:")).toContainText(Number(value).toFixed(3));
    await page.getByRole("button", { name: "Nominate for the private test" }).click();
    await expect(page.getByText("✓ This submission is nominated.")).toBeVisible();
    await page.getByLabel("Parameters in all").fill("1000");
    await page.getByLabel("Of them used by every subtask").fill("400");
    await expect(page.getByText("Shared: 40.0\u00a0% of 1,000")).toBeVisible();
    await page.getByRole("button", { name: "Declare", exact: true }).click();
    await expect(page.getByText("the commission has not decided yet")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Report", exact: true }).click();
    await expect(page.getByText("Time of the program, s")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Log", exact: true }).click();
    await expect(page.getByRole("region", { name: /^stdout/ })).toBeVisible();
    await expectAccessible(page);
    await signIn(page, ORGANIZER, "staff");
    await page.goto(`/desk/submitted/${id}`);
    await confirm(page, "Confirm", "the weights were looked at");
    await expect(page.getByText("✓ confirmed")).toBeVisible();
    await expectAccessible(page);
  });

  /** Clause: TS F-1 */
  test("whose archive is none is refused; of a file of two parts only what is missing is brought again", async ({
    page,
    quiet,
  }, info) => {
    test.setTimeout(180_000);
    quiet.allow(/ERR_ABORTED|ERR_FAILED/);
    const large = info.outputPath("large.zip");
    await writeFile(large, Buffer.alloc(64 * 1024 * 1024 + 1024, 7));
    await enter(page);
    let puts = 0;
    await page.route(/\/uploads\//, async (route) => {
      puts += 1;
      // The second part hangs once.
      if (puts !== 2) await route.fallback();
    });
    await submit(page, large);
    await expect(() => expect(puts).toBe(2)).toPass();
    await page.getByRole("button", { name: "Stop the upload" }).click();
    await expect(page.getByText("1 of 2 parts have arrived. Choose large.zip again")).toBeVisible();
    await page.getByLabel("Announced file").setInputFiles(large);
    await expect(page.getByRole("region", { name: /Faults/ })).toBeVisible({ timeout: 60_000 });
    expect(puts).toBe(3);
    await expectAccessible(page);
  });

  /** Clause: TS F-7, TS F-9 */
  test("goes to the private test, whose boards and prizes teams see when they are published", async ({
    page,
    quiet,
  }) => {
    test.setTimeout(180_000);
    quiet.allow(/403/);
    await signIn(page, "participant@example.org", "participants", "/cabinet/private-test");
    await expect(page.getByText(/They appear here when they are published/)).toBeVisible();
    await signIn(page, ORGANIZER, "staff", "/desk/submitted/private");
    await confirm(page, "Begin the private test");
    await expect(page.getByText("Ended: 1 of 1")).toBeVisible({ timeout: 120_000 });
    await expectAccessible(page);
    await confirm(page, "Publish", "the contest is over");
    await expect(page.getByText("✓ Published: teams see boards and prizes.")).toBeVisible();
    await signIn(page, "participant@example.org", "participants", "/cabinet/private-test");
    await expect(page.getByRole("heading", { name: "Prizes" })).toBeVisible();
    await expect(page.getByRole("row", { name: /pilot/i }).first()).toBeVisible();
    await expectAccessible(page);
  });
});

import { fileURLToPath } from "node:url";
import { drain } from "./cloud.ts";
import { choose, expect, expectAccessible, expectSound, signIn, test } from "./fixtures.ts";

const FOLDER = fileURLToPath(new URL("../../local/demonstration", import.meta.url));

/** Clause: platform §7 cycle */
test("an organizer checks a cycle's folder, corrects it in the form, and loads it whole", async ({ page }) => {
  test.setTimeout(180_000);
  await choose(page, "en", "light");
  await signIn(page, "organizer@example.org", "staff", "/desk/cycle");
  await expect(page.getByText(/What this page cannot do is to deploy/)).toBeVisible();
  await expectAccessible(page);
  const [folder, file] = [page.getByLabel("Choose a folder").first(), page.getByLabel("Choose a file").first()];
  await file.setInputFiles({ name: "cycle.yaml", mimeType: "text/yaml", buffer: Buffer.from("cycle: [\n") });
  await expect(page.getByRole("alert")).toContainText("1 fault in the file");
  await folder.setInputFiles(FOLDER);
  await expect(page.getByText(/^Nothing is wrong with the file/)).toBeVisible();
  await expect(page.getByText(/^train: \d\d files$/)).toBeVisible();
  const sessions = page.getByRole("spinbutton", { name: /^sessions_per_day Sessions a team may open/ });
  const check = page.getByRole("button", { name: "Check the file" });
  const place = () => check.evaluate((button) => Math.round(button.getBoundingClientRect().top + scrollY));
  const before = await place();
  await sessions.fill("2");
  await expect(page.getByText(/was edited after its check/)).toBeVisible();
  expect(await place()).toBe(before); // what one is about to press does not move away
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/v1/cycle/file-check", async (route) => {
    await held;
    await route.continue();
  });
  const late = page.waitForResponse("**/v1/cycle/file-check");
  await check.click();
  await sessions.fill("0");
  release();
  await (await late).finished();
  await page.unroute("**/v1/cycle/file-check");
  await expect(check).toBeEnabled();
  await expect(sessions).toHaveValue("0"); // an edit is not lost to the answer about what was before it
  await check.click();
  await expect(page.getByRole("alert")).toContainText("parameters.sessions_per_day");
  await expect(sessions).toHaveAttribute("aria-invalid", "true");
  await expectSound(page);
  await sessions.fill("");
  await page.getByRole("button", { name: "Check the file" }).click();
  await expect(page.getByText(/^Nothing is wrong with the file/)).toBeVisible();
  await page.getByRole("button", { name: "Check everything and load the cycle" }).click();
  await expect(page).toHaveURL(/\/desk\/imports\/[a-z0-9]{20}$/, { timeout: 60_000 });
  await drain();
  await expect(page.getByText("loaded", { exact: true })).toBeVisible({ timeout: 90_000 });
});

for (const [width, language, theme] of [
  [1440, "ru", "dark"],
  [390, "en", "light"],
] as const) {
  test(`the form of a cycle is written in the reader's language, at ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await choose(page, language, theme);
    await signIn(page, "organizer@example.org", "staff", "/desk/cycle");
    await page.getByRole("button", { name: /^(Fill in a form|Заполнить форму)$/ }).click();
    await page.getByLabel(/^(New in sets|Новое в sets)$/).fill("train");
    await page
      .locator("fieldset", { has: page.getByLabel(/^(New in sets|Новое в sets)$/) })
      .getByRole("button", { name: /^(Add|Добавить)$/ })
      .last()
      .click();
    await page.getByLabel(/^kind/).selectOption("training");
    await page.getByRole("button", { name: /^(Check the file|Проверить файл)$/ }).click();
    await expect(page.getByRole("alert")).toContainText("name.en");
    await expect(page.getByRole("alert")).toContainText("languages");
    await expectSound(page);
  });
}

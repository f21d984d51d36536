import { asOrganizer, prepared } from "./cloud.ts";
import { choose, expect, expectAccessible, expectNoSidewaysScroll, signIn, test } from "./fixtures.ts";

const ORGANIZER = "organizer@example.org";

/** Clause: D 6.12 */
test("a team asks, an organizer answers everybody, and the team sees what is new", async ({ page, browser }) => {
  const { captain } = await prepared();
  const mark = Date.now();
  await signIn(page, captain, "participants", "/cabinet/questions");
  await page.getByRole("combobox", { name: "About" }).selectOption("a rule");
  await page.getByLabel("Rule, as R 7.6").fill("R 7.6");
  await page.getByRole("textbox", { name: "Question" }).fill(`May answers repeat? ${mark}`);
  await page.getByRole("button", { name: "Send the question" }).click();
  const asked = page.getByRole("article").filter({ hasText: String(mark) });
  await expect(asked).toContainText("waits for an answer");
  await expectAccessible(page);

  const desk = await (await browser.newContext()).newPage();
  await signIn(desk, ORGANIZER, "staff", "/desk/questions");
  await expect(desk.getByText(/^Waiting for an answer: [1-9]/)).toBeVisible();
  const one = desk.getByRole("article").filter({ hasText: String(mark) });
  await expect(one).toContainText("rule R 7.6");
  await one.getByRole("button", { name: "Take the question" }).click();
  await expect(one).toContainText("You answer it now.");
  await one.getByRole("button", { name: "Answer", exact: true }).click();
  await one.getByLabel(/Tell everybody/).check();
  await one.getByLabel("The question, in Russian").fill(`Могут ли ответы повторяться? ${mark}`);
  await one.getByLabel("The question, in English").fill(`May answers repeat? (${mark})`);
  await one.getByLabel("Answer in Russian").fill("Да.");
  await one.getByLabel("Answer in English").fill("They may.");
  await expectAccessible(desk);
  await desk.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(desk);
  await one.getByRole("button", { name: "Answer everybody" }).click();
  await expect(one).toHaveCount(0);

  await page.goto("/cabinet");
  const questions = page.getByRole("navigation", { name: "Cabinet" }).getByRole("link", { name: /^Questions/ });
  await expect(questions).toHaveText(/\([1-9]\)/);
  await questions.click();
  await expect(asked).toContainText("Answer to everybody");
  await expect(asked).toContainText("They may.");
  await expect(asked).toContainText("new");
  await expect(questions).toHaveText("Questions");
  await choose(page, "ru", "dark");
  await page.goto("/cabinet/questions");
  await expect(asked).toContainText("Да.");
  await expectAccessible(page);
  const { announcements } = await asOrganizer<{ announcements: { title: { en: string } }[] }>(
    "GET",
    "/v1/announcements?kind=answer",
  );
  expect(announcements.map((each) => each.title.en)).toContain(`May answers repeat? (${mark})`);
});

test("a member stops a kind of mails and chooses their language", async ({ page }) => {
  const { captain } = await prepared();
  await signIn(page, captain, "participants", "/cabinet/mails");
  await page.getByRole("checkbox", { name: "other announcements" }).uncheck();
  await page.getByRole("combobox", { name: "Language of the mails" }).selectOption("Russian");
  await page.getByRole("button", { name: "Save the choice" }).click();
  await expect(page.getByText("✓ Saved.")).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await expect(page.getByRole("checkbox", { name: "other announcements" })).not.toBeChecked();
  await expect(page.getByRole("checkbox", { name: "results" })).toBeChecked();
  await expectNoSidewaysScroll(page);
});

test("a member adds a webhook, is told of a wrong address, and removes it", async ({ page, quiet }) => {
  quiet.allow(/status of 422/);
  const { captain } = await prepared();
  await signIn(page, captain, "participants", "/cabinet/mails");
  const address = page.getByLabel("Address, https");
  await address.fill("http://example.org/hurdle");
  await page.getByRole("button", { name: "Add the webhook" }).click();
  await expect(page.getByText("on port 443, with a host's name")).toBeVisible();
  const long = `https://example.org/${"a".repeat(300)}`;
  await address.fill(long);
  await page.getByRole("button", { name: "Add the webhook" }).click();
  await expect(page.getByRole("heading", { name: long })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "Remove the webhook" }).click();
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button").first().click();
  await expect(page.getByText("The team has no webhooks yet")).toBeVisible();
});

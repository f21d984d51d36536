import { CLOUD, order, prepared } from "./cloud.ts";
import { choose, expect, expectAccessible, expectNoSidewaysScroll, signIn, test } from "./fixtures.ts";

let address = "";

test.beforeAll(async () => {
  test.setTimeout(180_000);
  await order("/train");
  const headers = { authorization: `Bearer ${(await prepared()).token}` };
  const { sessions } = await (await fetch(`${CLOUD}/v1/sessions`, { headers })).json();
  const session = sessions.find((each: { set: string }) => each.set === "train");
  address = `/sessions/${session.session_id}/files/1/comparison`;
});

for (const [language, theme] of [
  ["en", "light"],
  ["ru", "dark"],
] as const) {
  test(`path 4: a participant follows a metric to the fragment that cost it (${language})`, async ({ page }) => {
    await choose(page, language, theme);
    await signIn(page, (await prepared()).captain, "participants");
    await page.goto(address);
    const rows = page.getByRole("table", { name: /^(Pairs|Пары)/ }).locator("tbody tr");
    await expect(rows.first()).toBeVisible();
    await expect(page.locator("main [role=document]")).toHaveCount(2);
    await expectAccessible(page);
    await page.keyboard.press("5");
    await expect(page).toHaveURL(/m=M5/);
    await page.keyboard.press("j");
    await expect(page).toHaveURL(/f=[XY]\d+/);
    await expect(page.locator("tr[aria-current=true]")).toHaveCount(1);
    await expect(page.locator("svg g[data-on]")).not.toHaveCount(0);
    await expectAccessible(page);
    await page.screenshot({ path: `test-results/comparison-${language}-${theme}.png`, fullPage: true });
    const [chosen, place] = [await page.locator("tr[aria-current=true]").textContent(), page.url()];

    await page.goto(place);
    await expect(page.locator("tr[aria-current=true]")).toBeVisible();
    expect(await page.locator("tr[aria-current=true]").textContent()).toBe(chosen);
    await page.keyboard.press("o");
    await expect(page.locator("main [role=document]")).toHaveCount(1);
    await page.keyboard.press("t");
    await expect(page).toHaveURL(/z=(%22)?1/);
    await expectAccessible(page);
    await page.screenshot({ path: `test-results/comparison-three-${language}-${theme}.png`, fullPage: true });
    await page.setViewportSize({ width: 320, height: 700 });
    await expectNoSidewaysScroll(page);
    await page.screenshot({ path: `test-results/comparison-phone-${language}-${theme}.png` });
  });
}

test("kinds, ribbons, two experts and the program: every number is the platform's", async ({ page }) => {
  await choose(page, "en", "light");
  await signIn(page, (await prepared()).captain, "participants");
  const told = page.waitForResponse((response) => /\/v1\/.*\/comparison$/.test(response.url()) && response.ok());
  await page.goto(address);
  const { comparisons } = await (await told).json();
  const { pairs, near, unmatched_x: onlyX, unmatched_y: onlyY, pair_accuracy: accuracy } = comparisons[0].comparison;
  const rows = page.getByRole("table", { name: "Pairs, and fragments without one" }).locator("tbody tr");
  await expect(rows).toHaveCount(pairs.length + onlyX.length + onlyY.length);
  await expect(page.getByRole("heading", { name: /Pair accuracy/ })).toContainText(accuracy.toFixed(1));

  // Only one kind, by keys alone; the address keeps it.
  const kinds = page.getByRole("toolbar", { name: "Kinds of agreement" });
  await page.keyboard.press("f");
  await expect(kinds.getByRole("button").first()).toBeFocused();
  await kinds.getByRole("button", { name: /only Y/ }).focus();
  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/k=only-y/);
  await expect(rows).toHaveCount(onlyY.length);
  await page.reload();
  await expect(rows).toHaveCount(onlyY.length);
  await kinds.getByRole("button", { name: "Show all kinds" }).click();

  // What overlaps and is no pair is the platform's list.
  if (near.length > 0) {
    const summary = page.getByText(`Overlapping, yet no pair: ${near.length}`);
    await summary.click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "no pair" })
      .getByRole("button", { name: `X${near[0].x + 1}`, exact: true })
      .click();
    await expect(page.getByText("It overlaps a fragment of the other side")).toBeVisible();
  }
  // Every couple of markups with its accuracy; a press compares those two.
  const couples = page.getByRole("toolbar", { name: "Which two are compared" });
  await expect(couples.getByRole("button")).toHaveCount(4);
  await expect(couples.locator("button b")).toHaveCount(3);
  await couples.getByRole("button", { name: "expert 1 – expert 2" }).click();
  await expect(page).toHaveURL(/x=(%22)?0(%22)?&y=(%22)?1/);
  await expect(page.getByText("X: expert 1 · Y: expert 2")).toBeVisible();
  await page.keyboard.press("x");
  await expect(page.getByText("X: expert 2 · Y: expert 1")).toBeVisible();
});

test("a pair in full: its losses are those of the platform, and Enter goes to them", { tag: "@gate" }, async ({
  page,
}) => {
  await choose(page, "en", "light");
  await signIn(page, (await prepared()).captain, "participants");
  const told = page.waitForResponse((response) => /\/v1\/.*\/comparison$/.test(response.url()) && response.ok());
  await page.goto(address);
  const [first] = (await (await told).json()).comparisons[0].comparison.pairs;
  await page.goto(`${address}?f=X${first.x + 1}`);
  const details = page.getByRole("region", { name: new RegExp(`^\\S* ?X${first.x + 1}:`) });
  const loss = String(Math.round(first.loss * 100) / 100);
  await expect(details).toContainText(`L = ${loss}, less than 2, so the two are a pair.`);
  await expect(details).toContainText(`Words in common: ${first.common_words}/${first.all_words}`);
  await page.keyboard.press("Enter");
  await expect(details).toBeFocused();
});

test("while scores are being made the page says so and looks again by itself", async ({ page }) => {
  await choose(page, "en", "light");
  await signIn(page, (await prepared()).captain, "participants");
  let asked = 0;
  await page.route("**/v1/**/comparison", (route) => {
    asked += 1;
    if (asked > 2) return route.fallback();
    return route.fulfill({ status: 202, json: { status: "scoring", scored: 0, files: 1 } });
  });
  await page.goto(address);
  await expect(page.getByText("Scoring goes on: 0 of 1 file scored.")).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole("heading", { name: /Pair accuracy/ })).toBeVisible();
});

test("path 4: a comparison that is not allowed says why", async ({ page, quiet }) => {
  quiet.allow(/403/);
  await choose(page, "en", "light");
  const headers = { authorization: `Bearer ${(await prepared()).token}` };
  const { sessions } = await (await fetch(`${CLOUD}/v1/sessions`, { headers })).json();
  const session = sessions.find((each: { set: string }) => each.set === "test");
  await signIn(page, (await prepared()).captain, "participants");
  await page.goto(`/sessions/${session.session_id}/files/1/comparison`);
  await expect(page.getByRole("alert")).toBeVisible();
  await expectAccessible(page);
});

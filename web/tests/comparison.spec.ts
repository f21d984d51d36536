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
    const rows = page.locator("tbody tr").filter({ has: page.getByRole("button") });
    await expect(rows.first()).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("5");
    await expect(page).toHaveURL(/m=M5/);
    await page.keyboard.press("j");
    await expect(page).toHaveURL(/f=[XY]\d+/);
    await expect(page.locator("tr[aria-current=true]")).toHaveCount(1);
    await expectAccessible(page);
    await page.screenshot({ path: `test-results/comparison-${language}-${theme}.png`, fullPage: true });
    const [chosen, place] = [await page.locator("tr[aria-current=true]").textContent(), page.url()];

    await page.goto(place);
    await expect(page.locator("tr[aria-current=true]")).toBeVisible();
    expect(await page.locator("tr[aria-current=true]").textContent()).toBe(chosen);
    await page.keyboard.press("o");
    await expect(page.locator("main [role=document]")).toHaveCount(2);
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 700 });
    await expectNoSidewaysScroll(page);
  });
}

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

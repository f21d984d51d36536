import type { Page } from "@playwright/test";
import { advance } from "./cloud.ts";
import { choose, expect, expectAccessible, openMenu, signIn, test } from "./fixtures.ts";

const HOUR_S = 3_600;
const TYPED = {
  team_name: "Evening walkers",
  team_id: "evening-walkers",
  person_name: "Anna Walker",
  contact: "anna@example.org",
} as const;

async function fill(page: Page): Promise<void> {
  for (const [name, value] of Object.entries(TYPED)) await page.locator(`#${name}`).fill(value);
  await page.locator("#accepts_rules").check();
}

/** From now on the issuer renews no token. */
async function refuseRenewals(page: Page): Promise<void> {
  await page.route("**/oauth2/token", (route) => route.fulfill({ status: 400, json: { error: "invalid_grant" } }));
}

test("a sign-in ends over the application: another window signs in, then it is sent", async ({
  page,
  context,
  quiet,
}) => {
  test.setTimeout(120_000);
  quiet.allow(/Failed to load resource/);
  await choose(page, "en", "light");
  await signIn(page, "anna@example.org", "participants", "/application");
  await fill(page);
  await refuseRenewals(page);
  await advance(HOUR_S);
  await page.getByRole("button", { name: "Send the application" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "Your text stays here" });
  await expect(alert).toBeVisible();
  await expect(page.getByText("You are not signed in, or your sign-in has ended.")).toBeVisible();
  await expect(page.getByText("You may not see this")).toHaveCount(0);
  await expect(page.locator("#team_name")).toHaveValue(TYPED.team_name);
  await expectAccessible(page);

  await page.unroute("**/oauth2/token");
  const opened = context.waitForEvent("page");
  await alert.getByRole("button", { name: "Sign in in a new window" }).click();
  const other = await opened;
  await other.getByRole("button", { name: /participant/ }).click();
  await other.waitForURL(/_local\/sign-in/);
  const known = other.locator('button[value="anna@example.org"]');
  if (await known.count()) await known.click();
  else {
    await other.locator("input[type=email]").fill("anna@example.org");
    await other
      .locator("form", { has: other.locator("input[type=email]") })
      .getByRole("button")
      .click();
  }
  await expect(alert).toBeHidden();
  await expect(page.locator("#team_id")).toHaveValue(TYPED.team_id);
  await page.getByRole("button", { name: "Send the application" }).click();
  await expect(page.getByText("under review")).toBeVisible();
  if (!other.isClosed()) {
    expect(await other.evaluate(() => sessionStorage.getItem("hurdle.refresh"))).toBeNull();
    await other.close();
  }
});

test("a token that has ended is renewed without a word, as long as the issuer renews it", async ({ page, quiet }) => {
  quiet.allow(/Failed to load resource.*403/);
  await choose(page, "en", "light");
  await signIn(page, "participant@example.org", "participants", "/cabinet");
  await expect(page.getByRole("heading", { name: "Last report" })).toBeVisible();
  await page.waitForLoadState("networkidle"); // no answer of this page is taken for the next one's
  // The gateway's own refusal, as the test before sees it come; the renewal is the cloud's.
  const statuses: number[] = [];
  const renewals: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/oauth2/token")) renewals.push(request.postData() ?? "");
  });
  page.on("response", (response) => {
    if (response.url().includes("/v1/sessions")) statuses.push(response.status());
  });
  await page.route("**/v1/sessions*", (route) => route.fulfill({ status: 403, json: { message: "Forbidden" } }), {
    times: 1,
  });
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await expect(page.getByRole("table").getByRole("row").nth(1)).toBeVisible();
  await expect(page.getByText("Your sign-in has ended")).toHaveCount(0);
  expect(statuses.slice(0, 2)).toEqual([403, 200]);
  expect(renewals).toEqual([expect.stringContaining("grant_type=refresh_token")]);
});

test("signing out leaves nothing of an application that was not sent", async ({ page, quiet }) => {
  quiet.allow(/Failed to load resource.*409/);
  await choose(page, "en", "light");
  await signIn(page, "boris@example.org", "participants", "/application");
  await fill(page);
  expect(await page.evaluate(() => sessionStorage.getItem("hurdle.draft.application"))).toContain(TYPED.team_id);
  await openMenu(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("link", { name: "Sign in", exact: true })).toBeVisible();
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.startsWith("hurdle")))).toEqual(
    [],
  );
});

test("somebody else signs in in the same tab: nothing is asked for the one before", async ({ page }) => {
  await signIn(page, "anna@example.org", "participants");
  // The code's exchange takes longer than a renewal of the earlier sign-in would.
  await page.route("**/oauth2/token", async (route) => {
    if (route.request().postData()?.includes("authorization_code")) await page.waitForTimeout(1_500);
    await route.continue();
  });
  const [asked] = await Promise.all([
    page.waitForRequest((request) => request.url().endsWith("/v1/me") && /callback/.test(page.url())),
    signIn(page, "organizer@example.org", "staff"),
  ]);
  const person = await (await asked.response())?.json();
  expect(person?.role).toBe("organizer");
  await expect(page.getByRole("banner")).toContainText("organizer");
});

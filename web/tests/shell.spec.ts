import { advance } from "./cloud.ts";
import { choose, expect, expectAccessible, expectSound, LOOKS, openMenu, shiftOf, signIn, test } from "./fixtures.ts";

test("a deep link survives a reload, and what is no page says so", { tag: "@gate" }, async ({ page, quiet }) => {
  await page.goto("/no/such/page");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is no such page");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is no such page");
  quiet.allow(/404/); // the browser writes down what the platform does not know
  await page.goto(`/runs/${"a".repeat(20)}`);
  await expect(page.getByRole("alert").getByRole("link", { name: "To the first page" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Try again" })).toHaveCount(0);
});

test("the interface's own 404 stays JSON", async ({ request }) => {
  const answer = await request.get("/v1/no-such-thing");
  expect(answer.status()).toBe(404);
  expect(answer.headers()["content-type"]).toContain("json");
});

test("the site refuses to be framed and runs no inline script", { tag: "@gate" }, async ({ page, request }) => {
  const { "content-security-policy": policy } = (await request.get("/")).headers();
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe-inline");
  await page.goto("/");
  await expect(page.getByRole("main")).toBeVisible();
});

test("the interface's own pages run under a policy too: their script, and no other", async ({ page, quiet }) => {
  test.setTimeout(120_000);
  const open = async (path: string) => {
    const { "content-security-policy": policy = "" } = (await page.goto(path))?.headers() ?? {};
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe-inline");
  };
  await open("/docs/errors");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Refusals · Отказы");
  await open("/docs");
  await page.getByText("/v1/cycle", { exact: true }).click();
  await expect(page.getByText("Try it out").first()).toBeVisible();
  // Until here the console is empty. What is put into the page is not run.
  quiet.allow(/Content Security Policy/);
  await page.evaluate(() => {
    const foreign = document.createElement("script");
    foreign.textContent = "document.title = 'foreign'";
    document.body.append(foreign);
  });
  await expect(page).not.toHaveTitle("foreign");
});

for (const pool of ["participants", "staff"] as const) {
  test(`${pool} sign in, stay signed in over a reload, and sign out`, async ({ page }) => {
    await signIn(page, pool === "staff" ? "organizer@example.org" : "participant@example.org", pool);
    const role = page
      .getByRole("banner")
      .locator("summary")
      .getByText(pool === "staff" ? "organizer" : "participant");
    await expect(role).toBeVisible();
    await page.reload();
    await expect(role).toBeVisible();
    await openMenu(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
  });
}

test("a sign-in that nobody began says so", async ({ page }) => {
  await page.goto("/signin/callback?code=x&state=y");
  await expect(page.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
});

test("the clock in the head is the platform's, in the cycle's zone", async ({ page, request }) => {
  await advance(5400);
  await page.goto("/");
  const cycle = (await (await request.get("/v1/cycle")).json()) as { server_time: string; time_zone: string };
  const told = Date.parse(cycle.server_time);
  expect(Math.abs(told - Date.now())).toBeGreaterThan(5_000_000);
  const said = (at: number) =>
    new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: cycle.time_zone }).format(at);
  await openMenu(page);
  const clock = page.getByRole("banner").getByRole("timer");
  await expect(clock).toContainText(new RegExp(`${said(told)}|${said(told + 60_000)}`));
});

for (const [language, theme] of LOOKS) {
  test(`what is no page is accessible and fits a phone: ${language}, ${theme}`, async ({ page }) => {
    await choose(page, language, theme);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto("/no/such/page");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expectSound(page);
  });
}

for (const language of ["en", "ru"] as const) {
  for (const width of [1440, 390]) {
    test(`nothing jumps while the first page comes slowly: ${language}, ${width}`, async ({ page }) => {
      await choose(page, language, "light");
      await page.setViewportSize({ width, height: 900 });
      const shift = await shiftOf(page, "/", async () => expect(page.getByRole("table").first()).toBeVisible());
      expect(shift, "layout-shift").toBeLessThanOrEqual(0.02);
    });
  }
}

test("offline a page that was never opened says so, and comes with the connection", async ({
  page,
  context,
  quiet,
}) => {
  quiet.allow(/ERR_INTERNET_DISCONNECTED|offline/);
  await choose(page, "en", "light");
  await page.goto("/");
  await expect(page.getByRole("table").first()).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Boards" }).click();
  await expect(page.getByRole("main")).toContainText("This was not opened on this device before");
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1, name: "Leaderboards" })).toBeVisible();
  await expect(page.getByRole("table").first()).toBeVisible();
});

/** Clause: platform §8 accessible */
test("the menu opens and closes by keys, and a page that is gone to closes it", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/rules");
  const menu = page.getByRole("banner").locator("summary");
  await expect(page.getByRole("link", { name: "Boards" })).toBeHidden();
  await menu.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Language" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("combobox", { name: "Language" })).toBeHidden();
  await expect(menu).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Boards" }).click();
  await expect(page).toHaveURL(/\/boards/);
  await expect(page.getByRole("combobox", { name: "Language" })).toBeHidden();
  expect(await page.getByRole("banner").evaluate((head) => head.getBoundingClientRect().height)).toBeLessThan(64);
});

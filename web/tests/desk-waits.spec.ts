import { Program } from "./cabinetProgram.ts";
import { advance, asParticipant, drain, order, prepared, sessionOf } from "./cloud.ts";
import { choose, expect, expectAccessible, expectSound, shiftOf, signIn, test } from "./fixtures.ts";
import { openNext, planned, stopLeft } from "./runs.ts";

const ORGANIZER = "organizer@example.org";
const FORM = {
  contact: "new@example.org",
  organization: "Institute",
  about: "We mark up essays",
  accepts_rules: true,
  person_name: "Anna",
};

test.beforeAll(async () => {
  test.setTimeout(120_000);
  const name = `waiting-${Date.now()}`;
  const applied = await asParticipant("new@example.org", "POST", "/v1/applications", {
    ...FORM,
    team_id: name,
    team_name: name,
  });
  expect([201, 409]).toContain(applied.status);
});

for (const [language, theme, applications, since] of [
  ["en", "light", "Applications to decide", /ago$/],
  ["ru", "dark", "Заявки, по которым нужно решение", /назад$/],
] as const) {
  /** Clause: R 2.18, platform §8 organizers */
  test(`the desk says what waits, how much, since when and where: ${language}`, async ({ page }) => {
    await choose(page, language, theme);
    await signIn(page, ORGANIZER, "staff");
    await page.setViewportSize({ width: 1440, height: 900 });
    const asked = page.waitForResponse((response) => response.url().endsWith("/v1/waiting") && response.ok());
    await page.goto("/desk");
    const { waiting } = await (await asked).json();
    const { count } = waiting.find(({ subject }: { subject: string }) => subject === "applications");
    expect(count).toBeGreaterThan(0);
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: applications }) });
    await expect(row.getByRole("cell").first()).toHaveText(String(count));
    await expect(row.getByRole("cell").last()).toHaveText(since);
    // Its rooms stand once, in groups at the side, with the count beside the room where the work is done.
    const rooms = page.getByRole("navigation", { name: /^(Desk|Рабочее место)$/ });
    await expect(rooms.getByRole("list")).toHaveCount(4);
    const side = await rooms.boundingBox();
    expect((side?.x ?? 0) + (side?.width ?? 0)).toBeLessThan((await row.boundingBox())?.x ?? 0);
    await expect(rooms.getByRole("listitem").filter({ hasText: /^(Teams|Команды)/ })).toContainText(String(count));
    await expectAccessible(page);
    await row.getByRole("link").click();
    await expect(page).toHaveURL(/\/desk\/teams/);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/desk");
    await expect(page.getByRole("main").getByRole("link", { name: applications })).toBeVisible();
    await expect(rooms).toBeHidden();
    await page.getByText(/^(Rooms of the desk|Разделы рабочего места)$/).click();
    await expect(rooms).toBeVisible();
    await expectSound(page);
  });
}

test("one request tells all of it, and the desk's rooms ask it no oftener", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await choose(page, "en", "light");
  await signIn(page, ORGANIZER, "staff", "/desk");
  await expect(page.getByRole("region", { name: "What waits" }).getByRole("table")).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(asked.filter((path) => path === "/v1/waiting")).toHaveLength(1);
  const others = asked.filter(
    (path) => path.startsWith("/v1/") && !/\/v1\/(waiting|me|cycle|boards|sign-in)/.test(path),
  );
  expect(others.filter((path) => !/^\/v1\/(runs|leaderboards|announcements)/.test(path))).toEqual([]);
});

test("of a final that is over nothing is offered that its state refuses", async ({ page }) => {
  test.setTimeout(120_000);
  await stopLeft();
  const runId = await planned({ files: 2 });
  await Program.join(runId, (await prepared()).token);
  await choose(page, "en", "light");
  await signIn(page, ORGANIZER, "staff");
  await page.goto(`/desk/runs/${runId}`);
  await expect(page.getByRole("button", { name: "Stop…" })).toBeVisible();
  await openNext(runId);
  await openNext(runId);
  await advance(400);
  await drain();
  await expect(page.getByRole("status").filter({ hasText: "finished" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^(Pause|Resume|Replace files|Stop)…$/ })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Annul the run…" })).toBeVisible();
  await stopLeft();
});

test("a moment is typed by the contest's clock in the page's language; what is none is refused", async ({ page }) => {
  await choose(page, "ru", "light");
  await signIn(page, ORGANIZER, "staff", "/desk/plan");
  const field = page.getByLabel(/^Первый файл откроется/);
  await expect(field).toHaveAttribute("placeholder", "31.12.2026 14:05");
  await field.fill("31.02.2027 14:05");
  await expect(page.getByText("Напишите день и время этого дня")).toBeVisible();
  await field.fill("31.12.2027 14:05");
  // The tests' browser is in Yekaterinburg, two hours ahead of the contest's clock.
  await expect(page.getByText("31 декабря 2027 г. в 16:05")).toBeVisible();
  await expectAccessible(page);
});

test("nothing jumps while pages of several columns come slowly", async ({ page }) => {
  test.setTimeout(180_000);
  await order("/train");
  const { captain, token } = await prepared();
  const session = await sessionOf(token, "train");
  await choose(page, "ru", "light");
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, captain, "participants");
  const text = () => expect(page.locator("main [role=document]").first()).toBeVisible();
  const table = () => expect(page.locator("main table").first()).toBeVisible();
  expect(await shiftOf(page, `/sessions/${session}/files/1/comparison`, text)).toBeLessThanOrEqual(0.02);
  expect(await shiftOf(page, `/cabinet/sessions/${session}/report`, table)).toBeLessThanOrEqual(0.02);
});

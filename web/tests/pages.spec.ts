import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { advance, CLOUD } from "./cloud.ts";
import { choose, expect, expectAccessible, expectNoSidewaysScroll, LOOKS, signIn, test } from "./fixtures.ts";
import { type Addresses, EMAILS, filled, PAGES, type Viewer } from "./pages.ts";

const ROUTER = fileURLToPath(new URL("../src/router.tsx", import.meta.url));
/** Folder for pictures of every page, for people to look at; without it, none are taken. */
const PICTURES = process.env.HURDLE_PICTURES;

let addresses: Addresses;

test.beforeAll(async () => {
  test.setTimeout(300_000);
  addresses = await filled();
});

test("the list of pages is the router's", async () => {
  const router = await readFile(ROUTER, "utf8");
  const routes = [...router.matchAll(/\.\.\.(\w+),\s+path: "([^"]*)"/g)].map(([, room, path = ""]) => {
    // Paths of the desk's rooms are written from the desk on.
    if (path === "/") return room === "desk" ? "/desk" : "/";
    return path.startsWith("/") ? path : `/desk/${path}`;
  });
  expect([...new Set(routes)].sort()).toEqual([...new Set(PAGES.map(({ route }) => route))].sort());
});

const VIEWERS = [...new Set(PAGES.map(({ viewer }) => viewer))];

for (const [language, theme] of LOOKS) {
  for (const viewer of VIEWERS) {
    /** Clause: platform §8 accessible, R 2.18 */
    test(`every page of ${viewer}: opened by its address it has its title, breaks no rule of axe and fits a phone: ${language}, ${theme}`, async ({
      page,
      quiet,
    }) => {
      test.setTimeout(300_000);
      quiet.allow(/40[0-9]/);
      await choose(page, language, theme);
      await enter(page, viewer);
      const faults: string[] = [];
      for (const site of PAGES.filter((each) => each.viewer === viewer)) {
        const name = [site.route + (site.search ?? ""), viewer, language, theme];
        await page.setViewportSize({ width: 1280, height: 900 });
        await page.goto(addresses(site), { waitUntil: "networkidle" });
        for (const [size, width] of [
          ["laptop", 1280],
          ["phone", 320],
        ] as const) {
          await page.setViewportSize({ width, height: 900 });
          await expectWhole(page)
            .then(() => expectAccessible(page))
            .then(() => expectNoSidewaysScroll(page))
            .catch((error: Error) => faults.push(`${name.join(" ")} ${size}: ${error.message}`));
          await picture(page, ...name, size);
        }
      }
      expect(faults).toEqual([]);
    });
  }
}

/** Each role of the interface with who has it. */
const ROLES = [
  ["participant@example.org", "participants"],
  ["expert@example.org", "staff"],
  ["clinician@example.org", "staff"],
  ["judge@example.org", "staff"],
  ["commission@example.org", "staff"],
  ["organizer@example.org", "staff"],
] as const;

for (const [email, pool] of ROLES) {
  /** Clause: platform §8 organizers, R 2.18 */
  test(`${email} is refused every page of others by the interface, and told which right is missing`, async ({
    page,
    quiet,
    request,
  }) => {
    test.setTimeout(300_000);
    quiet.allow(/40[34]/);
    await signIn(page, email, pool);
    const { rights } = await (await request.get("/v1/me", { headers: { authorization: await bearer(page) } })).json();
    const closed = PAGES.filter(({ right, search = "" }) => right && !rights.includes(right) && !/view=/.test(search));
    expect(closed.length).toBeGreaterThan(2);
    for (const site of closed) {
      await advance(1); // the pages' requests follow each other faster than the rate of a person
      let code: string | undefined;
      const refused = page.waitForResponse(async (answer) => {
        if (!answer.url().startsWith(`${CLOUD}/v1/`) || answer.status() !== 403) return false;
        // A late refusal of the page before has no body any more once this one is there.
        code = (await answer.json().catch(() => undefined))?.error.code;
        return code !== undefined;
      });
      await page.goto(addresses(site));
      await refused;
      expect([site.route, code]).toEqual([site.route, "forbidden"]);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("You have no access");
      await expect(page.getByRole("alert")).toContainText(site.right as string);
    }
  });
}

async function enter(page: Page, viewer: Viewer): Promise<void> {
  if (viewer === "visitor") return;
  await signIn(page, EMAILS[viewer], viewer === "participant" ? "participants" : "staff");
}

/** Expect the page to be loaded with its title, without anything still loading or failed. */
async function expectWhole(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const heading = await page.getByRole("heading", { level: 1 }).textContent();
  const name = await page.getByRole("banner").getByRole("link").first().textContent();
  expect(await page.title()).toBe(heading === name ? name : `${heading} · ${name}`);
  await expect(page.getByRole("status").filter({ hasText: /^(Loading|Загружается)$/ })).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText(
    /failed|You have no access|no such page|не открылась|недоступно|Такой страницы нет/,
  );
}

/** Return the page's own token, as its requests carry it. */
async function bearer(page: Page): Promise<string> {
  const asking = page.waitForRequest((asked) => asked.url().startsWith(`${CLOUD}/v1/me`));
  await page.goto("/");
  return String((await asking).headers().authorization);
}

async function picture(page: Page, ...said: readonly string[]): Promise<void> {
  if (!PICTURES) return;
  const name = said.map((part) => part.replaceAll(/[^\w]+/g, "-")).join("_");
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

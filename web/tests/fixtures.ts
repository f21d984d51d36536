import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test as base, expect, type Locator, type Page } from "@playwright/test";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** Rules for axe: WCAG 2.2 AA, unique landmarks and the order of headings. */
const RULES = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
  rules: { "landmark-unique": { enabled: true }, "heading-order": { enabled: true } },
};

/**
 * A person's requests have a rate (platform §1) that a test clicks through: the page waits and asks again, the browser
 * writes a line. A page that asked in a loop would write more of them than this.
 */
const TOO_QUICK = /429 \(Too Many Requests\)/;
const OFTEN = 6;

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/**
 * A page whose console must stay empty (a broken policy writes there), with the checks that every stop makes.
 */
export const test = base.extend<{ quiet: { allow: (pattern: RegExp) => void } }>({
  quiet: [
    async ({ page }, use) => {
      const allowed: RegExp[] = [];
      const lines: string[] = [];
      page.on("console", (message) => lines.push(message.text()));
      page.on("pageerror", (error) => lines.push(String(error)));
      await use({ allow: (pattern) => allowed.push(pattern) });
      const unexpected = lines.filter((line) => !allowed.some((pattern) => pattern.test(line)));
      expect(unexpected.filter((line) => !TOO_QUICK.test(line))).toEqual([]);
      expect(unexpected.length).toBeLessThanOrEqual(OFTEN);
    },
    { auto: true },
  ],
});

export { expect };

/** A language with a theme: each of both once. */
export const LOOKS = [
  ["en", "light"],
  ["ru", "dark"],
] as const;
export const OTHER_LOOKS = [
  ["ru", "light"],
  ["en", "dark"],
] as const;

/** Expect no violation of WCAG 2.2 AA that axe can see; in Chromium alone, which lets it past the site's policy. */
export async function expectAccessible(page: Page): Promise<void> {
  if (page.context().browser()?.browserType().name() !== "chromium") return;
  // The policy lets no script into the page; the debugger's door is another one.
  const session = await page.context().newCDPSession(page);
  const { result: here } = await session.send("Runtime.evaluate", { expression: "typeof axe" });
  if (here.value === "undefined") await session.send("Runtime.evaluate", { expression: await readFile(AXE, "utf8") });
  const run = `axe.run(document, ${JSON.stringify(RULES)}).then((found) => JSON.stringify(found))`;
  const { result } = await session.send("Runtime.evaluate", { expression: run, awaitPromise: true });
  await session.detach();
  const { violations } = JSON.parse(result.value as string) as AxeResult;
  const told = violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map((node) => node.html) }));
  expect(told).toEqual([]);
}

/** Clear the browser's cache of answers: the cloud's clock may have moved on, the browser's has not. */
export async function forgetAnswers(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.clearBrowserCache");
  await session.detach();
}

/** Expect no sideways scroll of the page nor, on a phone, of a part of it; code and drawings may scroll.
 * A page that has just become narrow is drawn anew within two seconds. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wider = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const phone = matchMedia("(max-width: 40rem)").matches;
      const scrollers = [...document.querySelectorAll("main *")].filter(
        (part) => part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX),
      );
      const parts = scrollers.filter((part) => phone && !part.matches("pre, textarea, input, [data-drawing]"));
      return [
        ...(scrollWidth > clientWidth ? [`the page by ${scrollWidth - clientWidth}`] : []),
        ...parts.map((part) => `${part.outerHTML.slice(0, 160)} by ${part.scrollWidth - part.clientWidth}`),
      ];
    });
  await expect.poll(wider, { timeout: 2_000 }).toEqual([]);
}

/** Expect no sideways scroll of the page at a phone's width. */
export async function expectFitsPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page);
}

/** Expect the page in its present state to be accessible and not to scroll sideways. */
export async function expectSound(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

/** Return the sum of layout shifts while a page loads over a slow line, without shifts after the user's input. */
export async function shiftOf(page: Page, address: string, ready: () => Promise<unknown>): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await client.send("Network.emulateNetworkConditions", { ...line, latency: 400 });
  await page.addInitScript(() => {
    const seen = { shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) seen.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(address);
  await ready();
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
  const shift = await page.evaluate(() => (window as unknown as { seen: { shift: number } }).seen.shift);
  await client.send("Network.emulateNetworkConditions", { ...line, latency: 0 });
  await client.detach();
  return shift;
}

/** Sign in through the local cloud's page, from wherever the page is now, and open an address, if one is named. */
export async function signIn(page: Page, email: string, pool: "participants" | "staff", to?: string): Promise<void> {
  await page.goto("/signin");
  await page.getByRole("button", { name: pool === "staff" ? /staff|сотрудник/ : /participant|участник/ }).click();
  const known = page.locator(`button[value="${email}"]`);
  await page.waitForURL(/_local\/sign-in/);
  if (await known.count()) await known.click();
  else {
    await page.locator("input[type=email]").fill(email);
    await page
      .locator("form", { has: page.locator("input[type=email]") })
      .getByRole("button")
      .click();
  }
  await page.waitForURL(
    (address) => !address.pathname.startsWith("/signin") && !address.pathname.startsWith("/_local"),
  );
  if (to) await page.goto(to);
}

/** Opens the menu at the right of the head: clock, language, colours, the way out. */
export async function openMenu(page: Page): Promise<void> {
  await page.getByRole("banner").locator("summary").click();
}

export async function choose(page: Page, language: "en" | "ru", theme: "light" | "dark"): Promise<void> {
  await page.addInitScript(
    ([chosen, colours]) => {
      localStorage.setItem("hurdle.language", chosen);
      localStorage.setItem("hurdle.theme", colours);
    },
    [language, theme] as const,
  );
}

/** Press a button and the one of the same name in the dialogue that it opens; give a reason, where one is asked for. */
export async function confirm(of: Page | Locator, name: string, reason?: string): Promise<void> {
  const dialog = ("page" in of ? of.page() : of).getByRole("dialog");
  await of.getByRole("button", { name, exact: true }).click();
  if (reason !== undefined) await dialog.getByLabel(/^Reason/).fill(reason);
  await dialog.getByRole("button", { name, exact: true }).click();
  await expect(dialog).toHaveCount(0);
}

/** Press a button and return the name and content of the downloaded file. */
export async function downloaded(page: Page, button: Locator): Promise<{ name: string; content: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), content: await readFile(await download.path(), "utf8") };
}

/** Change the interface's answers at an address before they reach the page. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the platform answers
export async function alter(page: Page, address: string | RegExp, change: (told: any) => unknown): Promise<void> {
  await page.route(address, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json);
    await route.fulfill({ response, json });
  });
}

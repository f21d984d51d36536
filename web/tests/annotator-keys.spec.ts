import type { Page } from "@playwright/test";
import { essay, expectSaved, markByKeys, openOwnEssay } from "./annotator.ts";
import { ask } from "./cloud.ts";
import { FIRST, fragmentsOf, giveEssay, type Marked, saved } from "./experts.ts";
import { choose, expect, expectAccessible, expectFitsPhone, openMenu, signIn, test } from "./fixtures.ts";

const active = (page: Page) => page.locator("[data-zone=list] [aria-selected=true]");
const picker = (page: Page) => page.getByRole("combobox", { name: /^Code/ });
const fragments = (page: Page, count: number) =>
  expect(page.locator("#fragments")).toHaveText(new RegExp(`^${count} fragment`));

/** Select words by keys, after the first `before` words. */
async function select(page: Page, before: number, words = 1): Promise<void> {
  await essay(page).focus();
  await page.keyboard.press("Control+Home");
  for (let word = 0; word < before; word += 1) await page.keyboard.press("Control+ArrowRight");
  for (let word = 0; word < words; word += 1) await page.keyboard.press("Control+Shift+ArrowRight");
}

test("every key of the annotator's list does what the list says", async ({ page, quiet }) => {
  test.setTimeout(180_000);
  quiet.allow(/429/); // A machine saves sooner again than the platform takes it; the page waits.
  await choose(page, "en", "light");
  const { assignment } = await openOwnEssay(page, "Первое второе третье четвёртое пятое шестое седьмое восьмое.");
  const keys = page.keyboard;
  const walked: [string, () => Promise<void>][] = [
    [
      "letters, Enter",
      async () => {
        await select(page, 0);
        await keys.type("И.факт");
        await keys.press("Enter");
        await fragments(page, 1);
        await select(page, 1);
        await keys.press("Enter");
        await expect(picker(page)).toBeFocused();
        await keys.type("И.понятие");
        await keys.press("Enter");
        await fragments(page, 2);
      },
    ],
    [
      "code/subtype; comment → correction",
      async () => {
        await select(page, 6);
        await keys.type("исп; опечатка -> седьмой");
        await keys.press("Enter");
        await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("опечатка");
        await keys.press("Enter"); // one key to the comment,
        await expect(page.getByRole("textbox", { name: "Comment" })).toBeFocused();
        await keys.press("Tab"); // two to the correction,
        await expect(page.getByRole("textbox", { name: "Correction" })).toBeFocused();
        await expect(page.getByRole("textbox", { name: "Correction" })).toHaveValue("седьмой");
        await keys.press("Enter"); // one back.
        await expect(essay(page)).toBeFocused();
        await keys.press("Delete");
        await fragments(page, 2);
      },
    ],
    [
      "1 … 9",
      async () => {
        await select(page, 2);
        await keys.press("3");
        await expect(active(page)).toContainText("И.факт");
      },
    ],
    [
      "Ctrl+Enter",
      async () => {
        await select(page, 3);
        await keys.press("Control+Enter");
        await fragments(page, 4);
        await expect(active(page)).toContainText("И.факт");
      },
    ],
    [
      "Ctrl+Shift+F",
      async () => {
        await keys.press("Control+Shift+f");
        await keys.type("И.упрощ");
        await keys.press("Enter");
        await expect(active(page)).toContainText("the whole text");
      },
    ],
    [
      "Alt+↓, Alt+↑",
      async () => {
        await keys.press("Alt+ArrowDown");
        await expect(active(page)).toContainText("Первое");
        await keys.press("Alt+ArrowDown");
        await expect(active(page)).toContainText("второе");
        await keys.press("Alt+ArrowUp");
        await expect(active(page)).toContainText("Первое");
      },
    ],
    [
      "Alt+Enter",
      async () => {
        await select(page, 0, 2);
        await keys.press("1");
        await fragments(page, 6);
        await expect(active(page).locator("q")).toHaveText("Первое второе");
        await essay(page).focus();
        await keys.press("Control+Home");
        await keys.press("ArrowRight");
        await keys.press("Alt+Enter");
        await expect(active(page).locator("q")).toHaveText("Первое");
        await keys.press("Alt+Enter");
        await expect(active(page).locator("q")).toHaveText("Первое второе");
      },
    ],
    [
      "Enter",
      async () => {
        await keys.press("Enter");
        await expect(page.getByRole("textbox", { name: "Comment" })).toBeFocused();
        await keys.press("Escape");
        await expect(essay(page)).toBeFocused();
      },
    ],
    [
      "Delete",
      async () => {
        await essay(page).focus();
        await keys.press("Delete");
        await fragments(page, 5);
      },
    ],
    [
      "← →",
      async () => {
        await keys.press("Alt+ArrowDown");
        await page.locator("[data-zone=list] [data-id]", { hasText: "четвёртое" }).click();
        await active(page).focus();
        await keys.press("ArrowRight");
        await expect(active(page).locator("q")).toHaveText("четвёртое пятое");
        await keys.press("Shift+ArrowRight");
        await expect(active(page).locator("q")).toHaveText("пятое");
      },
    ],
    [
      "Ctrl+K",
      async () => {
        await select(page, 5);
        await keys.type("ПРИЧИНА");
        await keys.press("Enter");
        await fragments(page, 6);
        await expect(essay(page)).toBeFocused(); // where the picker was opened; it comes back after the marking
        await keys.press("Control+k");
        await expect(page.getByRole("combobox", { name: "Link" })).toBeFocused();
        await keys.type("1");
        await expect(active(page)).toContainText("①");
      },
    ],
    [
      "F6, Shift+F6",
      async () => {
        await essay(page).focus();
        await keys.press("F6");
        await expect(page.locator("[data-zone=list] :focus")).toHaveCount(1);
        await keys.press("F6");
        await expect(page.locator("[data-zone=details] :focus")).toHaveCount(1);
        await keys.press("Shift+F6");
        await keys.press("Shift+F6");
        await expect(essay(page)).toBeFocused();
      },
    ],
    [
      "Ctrl+Z, Ctrl+Shift+Z",
      async () => {
        await keys.press("Control+z");
        await expect(active(page)).not.toContainText("①");
        await keys.press("Control+Shift+z");
        await expect(active(page)).toContainText("①");
      },
    ],
    [
      "Ctrl+S",
      async () => {
        await keys.press("Control+s");
        await expectSaved(page);
        expect(await saved(FIRST, assignment)).toHaveLength(6);
      },
    ],
    [
      "Ctrl+Shift+Enter",
      async () => {
        await keys.press("Control+Shift+Enter");
        await expect(page.getByRole("heading", { name: "Hand in the markup" })).toBeVisible();
        await keys.press("Escape");
        await expect(page.getByRole("heading", { name: "Hand in the markup" })).toBeHidden();
      },
    ],
    [
      "Esc",
      async () => {
        await select(page, 0);
        await keys.press("Enter");
        await keys.press("Escape");
        await expect(picker(page)).toBeHidden();
        await keys.press("ArrowLeft");
        await keys.press("Escape");
        await expect(active(page)).toHaveCount(0);
      },
    ],
    [
      "F1, ?",
      async () => {
        await essay(page).focus();
        await keys.press("Control+Home");
        await keys.press("?");
        await expect(page.locator("dialog[open]")).toBeVisible();
        await keys.press("Escape");
      },
    ],
  ];
  await keys.press("F1");
  expect(await page.locator("dialog[open] tr th").allTextContents()).toEqual(walked.map(([name]) => name));
  await expectAccessible(page);
  await keys.press("Escape");
  for (const [name, walk] of walked) await test.step(name, walk);
});

test("deep lanes are counted in the margin; signing out asks while something waits", async ({
  page,
  context,
  quiet,
}) => {
  test.setTimeout(120_000);
  quiet.allow(/Failed to load resource/);
  await choose(page, "en", "light");
  const words = ["один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь"];
  const { text, assignments } = await giveEssay(`${words.join(" ")}.`);
  const assignment = assignments[FIRST] as string;
  const path = `/v1/assignments/${assignment}`;
  const opened = (await ask(FIRST, "POST", `${path}/open`)).body;
  const nested = words.map((_, place): Marked => [words.slice(place).join(" "), "И.факт"]);
  const draft = { ...opened.content, selections: fragmentsOf(text, nested) };
  expect((await ask(FIRST, "PUT", `${path}/draft`, draft, 0)).status).toBe(200);
  await signIn(page, FIRST, "staff");
  await page.setViewportSize({ width: 1100, height: 620 });
  await page.goto(`/assignments/${assignment}`);
  await page.getByRole("button", { name: "+2", exact: true }).click();
  await expect(active(page).locator("q")).toHaveText("семь восемь");
  const bottom = await page
    .locator("[data-zone=details]")
    .evaluate((details) => details.parentElement?.getBoundingClientRect().bottom ?? 0);
  expect(bottom).toBeLessThanOrEqual(620);
  await page.getByRole("textbox", { name: "Explanation" }).scrollIntoViewIfNeeded();
  await expect(page.getByRole("textbox", { name: "Explanation" })).toBeInViewport();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  await context.route("**/v1/**", (route) => route.abort("internetdisconnected"));
  await markByKeys(page, "один", "И.понятие");
  await expect(page.locator("[data-state=kept]")).toBeVisible();
  await openMenu(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByText("they are stored only in this browser")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await context.unroute("**/v1/**");
  await expectSaved(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL((address) => !address.pathname.startsWith("/assignments"));
});

import { expect, type Locator, type Page } from "@playwright/test";
import { FIRST, giveEssay } from "./experts.ts";
import { signIn } from "./fixtures.ts";

/** The essay's surface. */
export function essay(page: Page): Locator {
  return page.getByRole("textbox", { name: /The essay|Эссе/ });
}

interface Place {
  x: number;
  y: number;
}

/** Return where words of the essay begin and end on the screen. */
async function placeOf(page: Page, words: string): Promise<{ start: Place; end: Place }> {
  return essay(page).evaluate((surface, wanted) => {
    for (const paragraph of surface.children) {
      const node = paragraph.firstChild;
      const at = node?.textContent?.indexOf(wanted) ?? -1;
      if (!node || at < 0) continue;
      paragraph.scrollIntoView({ block: "nearest", behavior: "instant" });
      const edge = (from: number, to: number) => {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        return range.getBoundingClientRect();
      };
      const [first, last] = [edge(at, at + 1), edge(at + wanted.length - 1, at + wanted.length)];
      return {
        start: { x: first.left + 1, y: (first.top + first.bottom) / 2 },
        end: { x: last.right - 1, y: (last.top + last.bottom) / 2 },
      };
    }
    throw new Error(`the essay has no ${wanted}`);
  }, words);
}

/** Drags over words of one paragraph, or from the first words to the last ones. */
export async function drag(page: Page, from: string, to = from): Promise<void> {
  await placeOf(page, to); // Both are in view from now on.
  const [{ start }, { end }] = [await placeOf(page, from), await placeOf(page, to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
}

export async function clickOn(page: Page, words: string): Promise<void> {
  const { start } = await placeOf(page, words);
  await page.mouse.click(start.x + 4, start.y);
}

/** Marks the selected words with the floating button and a code. */
export async function markByMouse(page: Page, code: string): Promise<void> {
  await page.getByRole("button", { name: /^(Mark|Разметить)/ }).click();
  await page.getByRole("combobox", { name: /Code|Код/ }).fill(code);
  await page.getByRole("option", { name: code, exact: false }).first().click();
}

/** Marks words with keys alone: they open the search of a code. */
export async function markByKeys(page: Page, words: string, code: string): Promise<void> {
  await drag(page, words);
  await page.keyboard.press("Enter");
  await page.keyboard.type(code);
  await page.keyboard.press("Enter");
}

/** Gives the experts an essay, and opens it as the first one. */
export async function openOwnEssay(page: Page, words?: string): Promise<{ text: string; assignment: string }> {
  const { text, assignments } = await giveEssay(words);
  const assignment = assignments[FIRST] as string;
  await signIn(page, FIRST, "staff");
  await openEssay(page, assignment);
  return { text, assignment };
}

export async function openEssay(page: Page, assignment: string): Promise<void> {
  await page.goto(`/assignments/${assignment}`);
  await page.getByRole("button", { name: /Open the essay|Открыть эссе/ }).click();
  await expect(essay(page)).toBeVisible();
}

export async function expectSaved(page: Page): Promise<void> {
  await expect(page.locator("[data-state=saved]", { hasText: "✓" })).toBeVisible();
}

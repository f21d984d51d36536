import type { Page } from "@playwright/test";
import { essay, openEssay, openOwnEssay } from "./annotator.ts";
import { ask } from "./cloud.ts";
import { FIRST, giveEssay } from "./experts.ts";
import { choose, expect, expectSound, signIn, test } from "./fixtures.ts";

/** Keys and clicks of one action, as the page received them; a key that is held with another one does not count. */
interface Count {
  keys: number;
  clicks: number;
}

async function count(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counted = { keys: 0, clicks: 0 };
    Object.assign(window, { counted });
    const held = ["Shift", "Control", "Alt", "Meta"];
    addEventListener("keydown", ({ key }) => (counted.keys += held.includes(key) ? 0 : 1), true);
    addEventListener("mousedown", () => (counted.clicks += 1), true);
  });
}

/** Return the keys and clicks of an action. */
async function took(page: Page, deed: () => Promise<unknown>): Promise<Count> {
  const now = () => page.evaluate(() => ({ ...(window as unknown as { counted: Count }).counted }));
  const before = await now();
  await deed();
  const after = await now();
  return { keys: after.keys - before.keys, clicks: after.clicks - before.clicks };
}

/** Clause: platform §8 annotator */
test("an error takes as few keys and clicks as is written here", async ({ page, quiet }) => {
  quiet.allow(/429/); // A machine saves sooner again than the platform takes it; the page waits.
  await count(page);
  await choose(page, "en", "light");
  await openOwnEssay(page, "Первое второе третье четвёртое пятое шестое седьмое восьмое.");
  const keys = page.keyboard;
  const field = (name: string) => page.getByRole("textbox", { name });
  const wordBox = async (word: string) => {
    const box = await essay(page).evaluate((surface, wanted) => {
      const node = surface.querySelector("p, div")?.firstChild ?? surface.firstChild?.firstChild;
      const range = document.createRange();
      const at = node?.textContent?.indexOf(wanted) ?? -1;
      range.setStart(node as Node, at);
      range.setEnd(node as Node, at + wanted.length);
      const { left, top, width, height } = range.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    }, word);
    return box;
  };
  const doubleClick = async (word: string) => {
    const { x, y } = await wordBox(word);
    await page.mouse.dblclick(x, y);
  };

  const marked = await took(page, async () => {
    await doubleClick("второе");
    await keys.type("b/k"); // "и.л" as the keys lie; a letter of another alphabet would be no key of the browser's
    await keys.press("Enter");
    await expect(page.locator("#fragments")).toHaveText("1 fragment");
  });
  const recent = await took(page, async () => {
    await doubleClick("третье");
    await keys.press("1");
    await expect(page.locator("#fragments")).toHaveText("2 fragments");
  });
  const comment = await took(page, async () => {
    await keys.press("Enter");
    await expect(field("Comment")).toBeFocused();
  });
  const correction = await took(page, async () => {
    await keys.press("Tab");
    await expect(field("Correction")).toBeFocused();
  });
  const back = await took(page, async () => {
    await keys.press("Enter");
    await expect(essay(page)).toBeFocused();
  });
  const said = "bcg; typo -> seven";
  const atOnce = await took(page, async () => {
    await doubleClick("седьмое");
    await keys.type(said);
    await keys.press("Enter");
    await expect(field("Correction")).toHaveValue("seven");
  });
  const found = { marked, recent, comment, correction, back, atOnce: { ...atOnce, keys: atOnce.keys - said.length } };
  for (const [deed, { keys, clicks }] of Object.entries(found)) {
    process.stdout.write(`${deed}: ${keys} keys, ${clicks} clicks\n`);
  }
  expect(found).toEqual({
    marked: { keys: 4, clicks: 2 },
    recent: { keys: 1, clicks: 2 },
    comment: { keys: 1, clicks: 0 },
    correction: { keys: 1, clicks: 0 },
    back: { keys: 1, clicks: 0 },
    atOnce: { keys: 1, clicks: 2 },
  });
});

for (const [width, text, language] of [
  [1280, 704, "ru"],
  [1440, 704, "en"],
  [1920, 704, "ru"],
  [390, 0, "en"],
] as const) {
  test(`the annotator uses a screen of ${width} pixels, and tells of assignments what sets them apart`, async ({
    page,
    quiet,
  }) => {
    quiet.allow(/429/);
    await page.setViewportSize({ width, height: 900 });
    await choose(page, language, width === 1440 ? "dark" : "light");
    const { assignments, text: words } = await giveEssay();
    const id = assignments[FIRST] as string;
    await signIn(page, FIRST, "staff", "/assignments");
    const row = page.locator("tr, main li", { hasText: id });
    await expect(row).toContainText(String(words.trim().split(/\s+/).length));
    await expect(row).toContainText(language === "ru" ? "60 минут с открытия" : "60 minutes from its opening");
    await expectSound(page);
    await openEssay(page, id);
    const box = await essay(page).boundingBox();
    expect(Math.round(box?.width ?? 0)).toBeGreaterThanOrEqual(text);
    await page.getByText(/^(Write a note|Написать заметку)/).click();
    const note = page.getByRole("textbox", { name: /^(Note on this text|Заметка об этом тексте)/ });
    await note.fill("Последней страницы нет");
    await page.getByRole("button", { name: /^(Save the note|Сохранить заметку)/ }).click();
    await expect(page.getByText(/^(Saved; the coordinator|Сохранено; координатор)/)).toBeVisible();
    await expectSound(page);
    const { markings } = (await ask("organizer@example.org", "GET", "/v1/markings")).body;
    const notes: string[] = [];
    for (const { marking_id } of markings) {
      const { essays } = (await ask("organizer@example.org", "GET", `/v1/markings/${marking_id}`)).body;
      for (const each of essays) for (const given of each.assignments) if (given.note) notes.push(given.note);
    }
    expect(notes).toContain("Последней страницы нет");
  });
}

import type { Page } from "@playwright/test";
import { essay, expectSaved, openEssay } from "./annotator.ts";
import { ask } from "./cloud.ts";
import { FIRST, fragmentsOf, giveEssay, SECOND, saved } from "./experts.ts";
import { choose, expect, expectAccessible, expectNoSidewaysScroll, OTHER_LOOKS, signIn, test } from "./fixtures.ts";

const ORGANIZER = "organizer@example.org";
const WORDS = "Пётр I 😀 правил долго. Губернская реформа усилила власть царя. Победа под Полтавой изменила ход войны.";
const DICTIONARY = { "губернская реформа": "И.факт", "власть царя": "И.понятие", "под Полтавой": "И.факт" };

/** The newest annotation project of a set. */
async function markingOf(name: string): Promise<string> {
  const { markings } = (await ask(ORGANIZER, "GET", "/v1/markings")).body;
  return markings.find(({ set }: { set: string }) => set === name).marking_id;
}

const counts = (page: Page, open: number, accepted: number, rejected: number) =>
  expect(page.locator("[data-counts]")).toHaveText(new RegExp(`${open}\\D+${accepted}\\D+${rejected}`));

for (const [language, theme] of OTHER_LOOKS) {
  test(`an expert accepts and rejects suggestions by keys and by mouse (${language}, ${theme})`, async ({ page }) => {
    test.setTimeout(120_000);
    await choose(page, language, theme);
    const { name, assignments } = await giveEssay(WORDS, "training");
    const path = `/v1/markings/${await markingOf(name)}/suggestions`;
    const hers = assignments[FIRST] as string;
    const switched = await ask(ORGANIZER, "PUT", path, { phrases: DICTIONARY, assignments: [hers] });
    expect(switched.body).toEqual({ assignments: 1, fragments: 3 });
    await signIn(page, FIRST, "staff");
    await openEssay(page, hers);
    await counts(page, 3, 0, 0);
    await expect(page.locator("#fragments")).toHaveText(/^0 /);
    await expectAccessible(page);
    for (const width of [1920, 1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    await essay(page).focus();
    await page.keyboard.press("]");
    await expect(page.locator("[data-suggestion=open][aria-current=true]")).toContainText("И.факт");
    await page.keyboard.press("=");
    await counts(page, 2, 1, 0);
    await page.keyboard.press("-");
    await counts(page, 1, 1, 1);
    await page.keyboard.press("Control+z");
    await counts(page, 2, 0, 1);
    await page.keyboard.press("Control+Shift+z");
    await page.getByRole("button", { name: /^=: .*под Полтавой/ }).click();
    await counts(page, 0, 2, 1);
    await expectSaved(page);
    expect((await saved(FIRST, hers)).map(({ words, type }) => [words, type])).toEqual([
      ["Губернская реформа", "И.факт"],
      ["под Полтавой", "И.факт"],
    ]);
    await page.reload();
    await counts(page, 0, 2, 1);
    await expectAccessible(page);
    const his = assignments[SECOND] as string;
    expect((await ask(SECOND, "POST", `/v1/assignments/${his}/open`)).body.suggested).toBeNull();
  });

  test(`the coordinator switches suggestions on, reads agreement (${language}, ${theme})`, async ({ page }) => {
    test.setTimeout(120_000);
    await choose(page, language, theme);
    const { name, text, assignments } = await giveEssay(WORDS, "training");
    const marking = await markingOf(name);
    await signIn(page, ORGANIZER, "staff");
    await page.goto(`/desk/experts/markings/${marking}`);
    await page.getByText(/^(Suggestions for experts|Подсказки экспертам)$/).click();
    await page
      .getByRole("textbox", { name: /On each line|В каждой строке/ })
      .fill("Губернская реформа\tИ.факт\n\nвласть царя  И.понятие\nвласть царя\tИ.факт");
    await expectAccessible(page);
    await page.getByRole("button", { name: /^(Switch for all|Применить ко всем)/ }).click();
    await expect(page.getByText(/(Changed assignments|Изменено заданий): 2;.*: 4\./)).toBeVisible();
    await expect(page.getByText(/\((dictionary|словарь): 2\)/)).toHaveCount(2);
    for (const width of [1920, 1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const email of [FIRST, SECOND]) {
      const path = `/v1/assignments/${assignments[email]}`;
      const { content } = (await ask(email, "POST", `${path}/open`)).body;
      const selections = fragmentsOf(text, [["Губернская реформа", "И.факт"]]);
      await ask(email, "PUT", `${path}/draft`, { ...content, selections }, 0);
      expect((await ask(email, "POST", `${path}/hand-in`, undefined, 1)).status).toBe(200);
    }
    await page.goto(`/desk/experts/markings/${marking}/agreement`);
    const table = page.getByRole("region", { name: /(with and without suggestions|с подсказками и без них)/ });
    await expect(table).toContainText(language === "ru" ? "обе с подсказками" : "both with suggestions");
    await expectAccessible(page);
    await page.goto(`/desk/experts/markings/${marking}`);
    await expect(page.getByText(/\((dictionary|словарь): .*1.*2/)).toHaveCount(2);
  });
}

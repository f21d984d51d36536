import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { drag, expectSaved, markByMouse, openEssay } from "../tests/annotator.ts";
import { CLOUD, drain, order, prepared } from "../tests/cloud.ts";
import { FIRST, SECOND } from "../tests/experts.ts";
import { choose, expect, signIn, test } from "../tests/fixtures.ts";

const FOLDER = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const MOST_BYTES = 200_000;
const ESSAY =
  "Пётр I правил Россией с 1682 по 1725 год. Он провёл много реформ, и это было важно для страны.\n" +
  "Губернская реформа 1708 года привела к усилению власти царя, потому что губернаторов назначал он сам.\n" +
  "Ещё реформа армии: рекруты, полки, устав 1716 года. Итог — победа под Полтавой в 1709 году.";

// In the demonstration's own zone the site says each moment once.
test.use({ viewport: { width: 1200, height: 760 }, timezoneId: "Europe/Moscow" });

async function take(page: Page, name: string): Promise<void> {
  const path = `${FOLDER}${name}.png`;
  await page.mouse.move(0, 0);
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  expect((await stat(path)).size).toBeLessThanOrEqual(MOST_BYTES);
}

test("the board and the front page, with eight teams around the barrier", async ({ page }) => {
  test.setTimeout(240_000);
  await order("/board");
  await choose(page, "en", "light");
  await page.goto("/");
  await expect(page.getByRole("row", { name: /Meridian/ })).toBeVisible();
  await take(page, "front");
  await page.goto("/boards");
  await expect(page.getByRole("row", { name: /First Draft/ })).toBeVisible();
  await take(page, "board");
});

test("the annotator", async ({ page }) => {
  await choose(page, "en", "light");
  const experts = [FIRST, SECOND];
  const assignments = (await order("/essay", { name: "reforms", text: ESSAY, experts, kind: "test" })) as Record<
    string,
    string
  >;
  await signIn(page, FIRST, "staff");
  await openEssay(page, assignments[FIRST] as string);
  for (const [from, to, code] of [
    ["Пётр", "I", "И.личность"],
    ["Губернская", "сам.", "ПРИЧИНА"],
    ["привела", "царя", "СЛЕДСТВИЕ"],
    ["устав", "1716", "И.факт"],
  ] as const) {
    await drag(page, from, to);
    await markByMouse(page, code);
  }
  await expectSaved(page);
  await take(page, "annotator");
});

test("the comparison", async ({ page }) => {
  test.setTimeout(240_000);
  await order("/train");
  await drain(); // until every file has its scores there is nothing to compare
  const headers = { authorization: `Bearer ${(await prepared()).token}` };
  const ask = async (path: string) => (await fetch(`${CLOUD}/v1${path}`, { headers })).json();
  const { sessions } = await ask("/sessions");
  const session = sessions.find((session: { set: string }) => session.set === "train");
  // An essay without emoji, for which a machine may have no font, with pairs enough to show.
  let best = { number: 1, pairs: 0 };
  for (let number = 1; number <= 12; number += 1) {
    const { answer, comparisons } = await ask(`/sessions/${session.session_id}/files/${number}/comparison`);
    const pairs = comparisons[0].comparison.pairs.length;
    if (pairs > best.pairs && !/\p{Extended_Pictographic}/u.test(answer.text)) best = { number, pairs };
  }
  await page.setViewportSize({ width: 1440, height: 760 }); // two texts beside each other
  await choose(page, "en", "light");
  await signIn(page, (await prepared()).captain, "participants");
  await page.goto(`/sessions/${session.session_id}/files/${best.number}/comparison`);
  await expect(page.getByRole("heading", { name: /Pair accuracy/ })).toBeVisible();
  await expect(page.locator("button b").first()).toBeVisible();
  await page.keyboard.press("j");
  await take(page, "comparison");
});

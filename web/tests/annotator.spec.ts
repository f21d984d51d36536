import { clickOn, drag, essay, expectSaved, markByKeys, markByMouse, openEssay, openOwnEssay } from "./annotator.ts";
import { advance, ask, PORT } from "./cloud.ts";
import { FIRST, giveEssay, saved } from "./experts.ts";
import { choose, expect, expectAccessible, expectFitsPhone, expectSound, LOOKS, signIn, test } from "./fixtures.ts";
import { Line } from "./line.ts";

for (const [language, theme] of LOOKS) {
  /** Clause: R 2.19, R 2.29, platform §8 annotator */
  test(`path 5: an expert marks by mouse, over everything that moves positions (${language})`, async ({ page }) => {
    await choose(page, language, theme);
    const { text, assignments } = await giveEssay();
    const assignment = assignments[FIRST] as string;
    await signIn(page, FIRST, "staff", "/assignments");
    await expect(page.locator(`a[href="/assignments/${assignment}"]`)).toBeVisible();
    await expectAccessible(page);
    await openEssay(page, assignment);
    expect(await essay(page).evaluate((surface) => surface.textContent)).toBe(text);
    await expectAccessible(page);

    await drag(page, "👨‍👩‍👧‍👦", "еформы, и");
    await markByMouse(page, "И.факт");
    await drag(page, "реформы");
    await markByMouse(page, "И.понятие");
    await drag(page, "было", "Губернская");
    await markByMouse(page, "СЯП");
    await drag(page, "«важно", "1708");
    await markByMouse(page, "И.период");
    await page.getByRole("button", { name: /error of the whole text|ошибку всего текста/ }).click();
    await page.getByRole("combobox", { name: /whole text|всего текста/ }).fill("И.упрощ");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expectSaved(page);
    expect((await saved(FIRST, assignment)).map(({ type, words }) => [type, words])).toEqual([
      ["И.факт", "👨‍👩‍👧‍👦 провёл реформы, и\u0301"],
      ["И.понятие", "реформы"],
      ["СЯП", "было «важно».\r\nГубернская"],
      ["И.период", "«важно».\r\nГубернская реформа 😀 1708"],
      ["И.упрощ", ""],
    ]);

    await clickOn(page, "реформы, и");
    await expect(page.locator("[data-zone=list] [aria-selected=true]")).toContainText("И.понятие");
    await clickOn(page, "реформы, и");
    await expect(page.locator("[data-zone=list] [aria-selected=true]")).toContainText("И.факт");
    await expectSound(page);

    await page.getByRole("button", { name: /^(Hand in…|Сдать…)/ }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: /cannot be changed|изменить потом/ }).click();
    await expect(page.getByRole("heading", { name: /handed in|сдано/ })).toBeVisible();
    await expectAccessible(page);
    const { body } = await ask(FIRST, "GET", `/v1/assignments/${assignment}`);
    expect([body.assignment.state, body.draft.selections.length]).toEqual(["handed_in", 5]);
  });
}

/** Clause: R 2.29, platform §8 annotator, platform §8 accessible */
test("path 6: an expert works by keys alone, from the list to the receipt", { tag: "@gate" }, async ({ page }) => {
  await choose(page, "ru", "light");
  const { assignments } = await giveEssay();
  const assignment = assignments[FIRST] as string;
  await signIn(page, FIRST, "staff", "/assignments");
  await page.locator(`a[href="/assignments/${assignment}"]`).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Открыть эссе" }).focus();
  await page.keyboard.press("Enter");
  await expect(essay(page)).toBeVisible();

  const keys = page.keyboard;
  await keys.press("F6");
  await expect(essay(page)).toBeFocused();
  const select = async (wordsBefore: number, words: number) => {
    await keys.press("Control+Home");
    for (let word = 0; word < wordsBefore; word += 1) await keys.press("Control+ArrowRight");
    for (let word = 0; word < words; word += 1) await keys.press("Control+Shift+ArrowRight");
  };
  // A letter over a selection begins the search; typed in the other layout it is the same code.
  await select(0, 2);
  await keys.press("b");
  await expect(page.getByRole("combobox", { name: "Код фрагмента" })).toBeFocused();
  await keys.type("/kbx");
  await expect(page.getByRole("option", { name: /И.личность/ })).toBeVisible();
  await keys.press("Enter");
  await expect(essay(page)).toBeFocused();

  await page.keyboard.press("Control+End");
  await keys.press("Control+Shift+ArrowLeft");
  await keys.press("Enter");
  await keys.type("причина");
  await keys.press("Enter");
  await keys.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Связь" })).toBeFocused();
  await keys.type("1");
  await keys.press("F6");
  await keys.press("F6");
  await expect(essay(page)).toBeFocused();

  await keys.press("Control+Shift+f");
  await keys.type("исп/");
  await keys.press("Enter");
  const details = page.getByRole("textbox", { name: "Исправление" });
  await keys.press("F6");
  await keys.press("F6");
  await details.focus();
  await keys.type("так");
  await keys.press("Control+z");
  await expect(details).toHaveValue("");
  await keys.press("Control+Shift+z");
  await expect(details).toHaveValue("так");

  await keys.press("Control+s");
  await expectSaved(page);
  expect((await saved(FIRST, assignment)).map(({ type, tag, correction }) => [type, tag, correction])).toEqual([
    ["И.личность", "", ""],
    ["ПРИЧИНА", "1", ""],
    ["ИСП", "", "так"],
  ]);
  await keys.press("Control+Shift+Enter");
  const button = page.getByRole("button", { name: /изменить потом нельзя/ });
  await expect(button).toBeEnabled();
  await button.focus();
  await keys.press("Enter");
  await expect(page.getByRole("heading", { name: "сдано" })).toBeVisible();
});

/** Clause: platform §8 annotator */
test("path 7: nothing is lost without a connection, in a killed tab, beside another one", async ({
  page,
  context,
  quiet,
}) => {
  test.setTimeout(180_000);
  quiet.allow(/Failed to load resource/);
  await choose(page, "en", "light");
  const { assignment } = await openOwnEssay(page);
  await context.route("**/v1/**", (route) => route.abort("internetdisconnected"));
  for (const words of [
    "Пётр",
    "провёл",
    "реформы",
    "это",
    "было",
    "Губернская",
    "года",
    "усилению",
    "власти",
    "царя",
  ]) {
    await markByKeys(page, words, "И.факт");
  }
  await expect(page.locator("[data-state=kept]")).toContainText("10 changes wait");
  await expectAccessible(page);
  const address = page.url();
  await page.close({ runBeforeUnload: false });

  const again = await context.newPage();
  await again.goto(address);
  await expect(again.getByRole("heading", { name: "10 fragments" })).toBeVisible();
  await expect(again.locator("[data-state=kept]")).toContainText("10 changes wait");
  await context.unroute("**/v1/**");
  await again.close();

  const back = await context.newPage();
  await signIn(back, FIRST, "staff", address);
  await expectSaved(back);
  expect(await saved(FIRST, assignment)).toHaveLength(10);

  const second = await context.newPage();
  await signIn(second, FIRST, "staff", address);
  await expect(second.getByText("open in another tab")).toBeVisible();
  await expectAccessible(second);
  await second.getByRole("button", { name: "Work on it here" }).click();
  await expect(second.getByText("open in another tab")).toBeHidden();
  await expect(back.getByText("open in another tab")).toBeVisible();
  await back.close();

  // Another device saves while this one works on.
  const { body } = await ask(FIRST, "GET", `/v1/assignments/${assignment}`);
  const other = { ...body.draft, selections: body.draft.selections.slice(0, 3) };
  const revision = body.assignment.draft.revision;
  expect((await ask(FIRST, "PUT", `/v1/assignments/${assignment}/draft`, other, revision)).status).toBe(200);
  await markByKeys(second, "Полтавой", "И.факт");
  await expect(second.getByRole("heading", { name: "Another device saved a newer draft" })).toBeVisible();
  await expectAccessible(second);
  await second.getByRole("button", { name: "Continue with this device's draft" }).click();
  await expectSaved(second);
  expect(await saved(FIRST, assignment)).toHaveLength(11);

  // At the limit the last saved draft is the markup.
  await advance(3700);
  await second.reload();
  await expect(second.getByRole("heading", { name: "the time ran out" })).toBeVisible();
  await expect(second.getByText("11 fragments.")).toBeVisible();
  await expectAccessible(second);
});

test.describe("without any network", () => {
  const line = new Line();
  const port = PORT + 3;
  test.use({ proxy: { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>" } });
  test.beforeAll(() => line.listen(port));
  test.afterAll(() => line.close());

  test("path 7: the annotator opens again and sends all of it when the network is back", async ({
    page,
    context,
    quiet,
  }) => {
    test.setTimeout(120_000);
    quiet.allow(/Failed to load resource/);
    await choose(page, "en", "light");
    const { assignment } = await openOwnEssay(page);
    const keptFiles = () => page.evaluate(async () => (await (await caches.open("hurdle-page")).keys()).length);
    const used = await page.evaluate(
      () => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/")).length,
    );
    await expect.poll(keptFiles).toBeGreaterThan(used);
    const mark = async (words: string) => {
      await markByKeys(page, words, "И.факт");
    };
    line.cut();
    await context.setOffline(true);
    const [worker] = context.serviceWorkers();
    expect(
      await worker?.evaluate(() => fetch("/v1/keys", { cache: "no-store" }).then(String, () => "no network")),
    ).toBe("no network");
    await mark("Пётр");
    await mark("провёл");
    await expect(page.locator("[data-state=kept]")).toContainText("2 changes wait");

    await page.reload();
    await expect(page.getByRole("heading", { name: "2 fragments" })).toBeVisible();
    await mark("реформы");
    await expect(page.getByRole("heading", { name: "3 fragments" })).toBeVisible();
    await expect(page.locator("[data-state=kept]")).toContainText("3 changes wait");
    await expectAccessible(page);

    line.mend();
    await context.setOffline(false);
    await expectSaved(page);
    expect(await saved(FIRST, assignment)).toHaveLength(3);
    await mark("было");
    await expectSaved(page);
    expect(await saved(FIRST, assignment)).toHaveLength(4);
  });
});

test("a markup is brought from a file through the platform's reader, as one step", async ({ page }) => {
  await choose(page, "en", "light");
  const { text } = await openOwnEssay(page);
  await page.getByRole("button", { name: "Import, export" }).click();
  await expectAccessible(page);
  const file = page.locator("input[type=file]");
  const bring = (name: string, content: string) =>
    file.setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
  await bring("broken.txt", "Тема: Реформы\nПредмет: hist\n\n(\\ И.факт \\ Пётр");
  await expect(page.getByText(/Line \d+, column \d+:/)).toBeVisible();
  await bring("other.json", JSON.stringify({ meta: { subject: "hist" }, selections: [], text: `${text}!` }));
  await expect(page.getByText(/markup of another text/)).toBeVisible();
  const selections = [{ id: 1, startSelection: 0, endSelection: 4, type: "И.факт" }];
  await bring("mine.json", JSON.stringify({ meta: { subject: "hist" }, selections, text }));
  await page.getByRole("button", { name: /Take its 1 fragments/ }).click();
  await expect(page.getByRole("heading", { name: "1 fragment" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("heading", { name: "0 fragments" })).toBeVisible();
  await expectFitsPhone(page);
});

test("on a phone a fragment's details are a sheet under its words, which Escape puts away", async ({ page }) => {
  await choose(page, "ru", "light");
  const { text } = await openOwnEssay(page);
  await page.getByRole("button", { name: "Импорт, экспорт" }).click();
  const at = Array.from(text.slice(0, text.indexOf("Полтавой"))).length;
  const marked = { id: 1, startSelection: at, endSelection: at + 8, type: "И.факт", comment: "Дата верна" };
  const mine = JSON.stringify({ meta: { subject: "hist" }, selections: [marked], text });
  const buffer = Buffer.from(mine);
  await page.locator("input[type=file]").setInputFiles({ name: "mine.json", mimeType: "text/plain", buffer });
  await page.locator("dialog button", { hasText: "фрагмент" }).click();
  await expectSaved(page);

  await page.setViewportSize({ width: 390, height: 844 });
  const sheet = page.locator("section[data-sheet]");
  await clickOn(page, "Полтавой");
  await expect(sheet).toBeInViewport();
  const place = await sheet.evaluate((element) => element.getBoundingClientRect().toJSON());
  expect([place.left, place.right, place.bottom]).toEqual([0, 390, 844]);
  const band = await page.locator("svg[class*=band] rect").first().boundingBox();
  expect((band?.y ?? place.top) + (band?.height ?? 0)).toBeLessThanOrEqual(place.top + 4);
  await expectSound(page);
  const comment = sheet.getByRole("textbox", { name: "Комментарий" });
  await comment.fill("Дата неверна");
  await comment.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expect(essay(page)).toBeFocused();
  await expectSaved(page);
  await clickOn(page, "Полтавой");
  await expect(comment).toHaveValue("Дата неверна");
  await sheet.getByRole("button", { name: "Закрыть подробности" }).click();
  await expect(sheet).toHaveCount(0);
});

test("links of the fragment that is looked at are joined by a thin line, others' are not", async ({ page }) => {
  await choose(page, "en", "light");
  const { text } = await openOwnEssay(page);
  await page.getByRole("button", { name: "Import, export" }).click();
  const placeOf = (words: string) => Array.from(text.slice(0, text.indexOf(words))).length;
  const selections = [
    ["реформы", "ПРИЧИНА", "1"],
    ["усилению", "СЛЕДСТВИЕ", "1"],
    ["рекруты", "ПРИЧИНА", "2"],
    ["Полтавой", "СЛЕДСТВИЕ", "2"],
    ["1716", "И.факт", ""],
  ].map(([words = "", type, tag], place) => {
    const startSelection = placeOf(words);
    return { id: place + 1, startSelection, endSelection: startSelection + words.length, type, tag };
  });
  const buffer = Buffer.from(JSON.stringify({ meta: { subject: "hist" }, selections, text }));
  await page.locator("input[type=file]").setInputFiles({ name: "mine.json", mimeType: "text/plain", buffer });
  await page.getByRole("button", { name: /Take its 5 fragments/ }).click();
  const joined = page.locator("svg[class*=connectors] path");
  await expect(page.getByRole("heading", { name: "5 fragments" })).toBeVisible();
  await clickOn(page, "1716");
  await expect(page.locator("[data-zone=list] [aria-selected=true]")).toContainText("И.факт");
  await expect(joined).toHaveCount(0);
  await clickOn(page, "усилению");
  await expect(joined).toHaveCount(1);
  const first = await joined.boundingBox();
  await clickOn(page, "Полтавой");
  await expect(joined).toHaveCount(1);
  expect((await joined.boundingBox())?.y).not.toBe(first?.y);
  await page.getByRole("combobox", { name: "Link" }).selectOption("");
  await expect(joined).toHaveCount(0);
});

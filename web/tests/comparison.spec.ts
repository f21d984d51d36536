import type { Page } from "@playwright/test";
import { advance, asProgram, CLOUD, order, prepared, sessionOf } from "./cloud.ts";
import {
  alter,
  choose,
  downloaded,
  expect,
  expectAccessible,
  expectFitsPhone,
  expectNoSidewaysScroll,
  expectSound,
  LOOKS,
  OTHER_LOOKS,
  signIn,
  test,
} from "./fixtures.ts";

// Two texts and their details stand side by side from this width on.
test.use({ viewport: { width: 1440, height: 900 } });

const ESSAY = "Пётр I — великий царь, который прорубил окно";
let address = "";

/** Open the comparison, or the page of another address, as the team's captain. */
async function open(page: Page, path = address, language: "en" | "ru" = "en", theme: "light" | "dark" = "light") {
  await choose(page, language, theme);
  await signIn(page, (await prepared()).captain, "participants", path);
}

/** Return the interface's answer at an address, which the page asks for after `deed`. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the platform answers
async function answerTo(page: Page, address: RegExp, deed: () => Promise<unknown>): Promise<any> {
  const [response] = await Promise.all([page.waitForResponse((each) => address.test(each.url()) && each.ok()), deed()]);
  return response.json();
}

const COMPARISON = /\/v1\/.*\/comparison$/;
const ANSWER = /\/v1\/.*\/answer$/;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  await order("/train");
  const { token } = await prepared();
  const session = `/sessions/${await sessionOf(token, "train")}`;
  // Files come in another order in each session; the tests look at an essay with pairs, links and fragments on one line.
  for (let number = 1; address === ""; number += 1) {
    const { status, body } = await asProgram(token, "GET", `/v1${session}/files/${number}/comparison`);
    expect(status, `no file of ${session} is the essay ${ESSAY}`).toBe(200);
    if (body.answer.text.startsWith(ESSAY)) address = `${session}/files/${number}/comparison`;
    else await advance(1);
  }
});

for (const [language, theme] of LOOKS) {
  /** Clause: R 2.21, platform §8 viewer */
  test(`path 4: a participant follows a metric to the fragment that cost it (${language})`, async ({ page }) => {
    await choose(page, language, theme);
    await signIn(page, (await prepared()).captain, "participants", address);
    const rows = page.getByRole("table", { name: /^(Pairs|Пары)/ }).locator("tbody tr");
    await expect(rows.first()).toBeVisible();
    await expect(page.locator("main [role=document]")).toHaveCount(2);
    await expectAccessible(page);
    await page.keyboard.press("5");
    await expect(page).toHaveURL(/m=M5/);
    await page.keyboard.press("j");
    await expect(page).toHaveURL(/f=[XY]\d+/);
    await expect(page.locator("tr[aria-current=true]")).toHaveCount(1);
    await expect(page.locator("svg g[data-on]")).not.toHaveCount(0);
    await expectAccessible(page);
    const [chosen, place] = [await page.locator("tr[aria-current=true]").textContent(), page.url()];

    await page.goto(place);
    await expect(page.locator("tr[aria-current=true]")).toBeVisible();
    expect(await page.locator("tr[aria-current=true]").textContent()).toBe(chosen);
    await page.keyboard.press("o");
    await expect(page.locator("main [role=document]")).toHaveCount(1);
    await page.keyboard.press("t");
    await expect(page).toHaveURL(/z=(%22)?1/);
    await expectAccessible(page);
    await expectFitsPhone(page);
  });
}

/** Clause: R 2.21, platform §8 viewer */
test("kinds, ribbons, two experts and the program: every number is the platform's", async ({ page }) => {
  const told = await answerTo(page, COMPARISON, () => open(page));
  const { comparisons } = told;
  const { pairs, near, unmatched_x: onlyX, unmatched_y: onlyY, pair_accuracy: accuracy } = comparisons[0].comparison;
  const rows = page.getByRole("table", { name: "Pairs, and fragments without one" }).locator("tbody tr");
  await expect(rows).toHaveCount(pairs.length + onlyX.length + onlyY.length);
  await expect(page.getByRole("heading", { name: /Pair accuracy/ })).toContainText(accuracy.toFixed(2));
  // Signs of ribbons that begin on one line stand side by side.
  const signs = await page
    .locator("main svg[class*=ribbons] text")
    .evaluateAll((all) => all.map((sign) => sign.getBoundingClientRect()));
  expect(signs).toHaveLength(pairs.length + onlyX.length + onlyY.length);
  const covered = signs.filter(({ x, y }, place) =>
    signs.slice(0, place).some((before) => Math.hypot(before.x - x, before.y - y) < 8),
  );
  expect(covered).toEqual([]);

  // Only one kind, by keys alone; the address keeps it.
  const kinds = page.getByRole("toolbar", { name: "Kinds of agreement" });
  await page.keyboard.press("f");
  await expect(kinds.getByRole("button").first()).toBeFocused();
  await kinds.getByRole("button", { name: /only Y/ }).focus();
  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/k=only-y/);
  await expect(rows).toHaveCount(onlyY.length);
  await page.reload();
  await expect(rows).toHaveCount(onlyY.length);
  await kinds.getByRole("button", { name: "Show all kinds" }).click();

  // The list of overlaps that form no pair is the platform's.
  if (near.length > 0) {
    const summary = page.getByText(`Overlapping, but not a pair: ${near.length}`);
    await summary.click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "do not form a pair" })
      .getByRole("button", { name: `X${near[0].x + 1}`, exact: true })
      .click();
    await expect(page.getByText("It overlaps a fragment of the other side")).toBeVisible();
  }
  // Every pair of annotations has its accuracy; a press compares those two.
  const couples = page.getByRole("toolbar", { name: "Compared pair of annotations" });
  await expect(couples.getByRole("button")).toHaveCount(4);
  await expect(couples.locator("button b")).toHaveCount(3);
  await couples.getByRole("button", { name: "expert 1 – expert 2" }).click();
  await expect(page).toHaveURL(/x=(%22)?0(%22)?&y=(%22)?1/);
  await expect(page.getByText("X: expert 1 · Y: expert 2")).toBeVisible();
  await page.keyboard.press("x");
  await expect(page.getByText("X: expert 2 · Y: expert 1")).toBeVisible();
});

for (const [language, theme] of OTHER_LOOKS) {
  test(`colours of families: lines, a legend with marks, and the address keeps them (${language})`, async ({
    page,
  }) => {
    const listed = page.waitForResponse((response) => response.url().endsWith("/v1/classifier") && response.ok());
    const { answer, experts } = await answerTo(page, COMPARISON, () =>
      open(page, `${address}?c=families&view=overlaid`, language, theme),
    );
    const { classifier } = await (await listed).json();
    const codes: { code: string; category: string; group: string }[] = classifier.subjects[answer.meta.subject];
    const used = [...answer.selections, ...experts[0].selections].map(({ type }) => type);
    const blocks = used.some((type) => codes.find(({ code }) => code === type)?.group === "meaning");
    const legend = page.getByRole("list", { name: /^(Families of codes|Семейства кодов)$/ });
    await expect(legend.locator("li").first()).toBeVisible();
    await expect(legend.locator('[data-family="meaning"] b')).toHaveText(blocks ? ["▣"] : []);
    const families = new Set(
      await legend.locator("li").evaluateAll((all) => all.map((each) => each.getAttribute("data-family"))),
    );
    const painted = await page
      .locator("main svg[data-active] g[data-family], main [role=document] ~ div span[data-family]")
      .evaluateAll((all) => all.map((each) => each.getAttribute("data-family")));
    expect(painted.length).toBeGreaterThan(0);
    expect(painted.filter((each) => !families.has(each))).toEqual([]);
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("o");
    await expect(page.locator("main [role=document]")).toHaveCount(2);
    await expect(legend).toBeVisible();
    await page.keyboard.press("p");
    await expect(legend).toHaveCount(0);
    await expect(page).not.toHaveURL(/c=families/);
  });
}

test("essays are set in the site's own serif, and no page without an essay loads it", async ({ page }) => {
  const fonts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "font") fonts.push(new URL(request.url()).origin);
  });
  await choose(page, "en", "light");
  await signIn(page, (await prepared()).captain, "participants", "/rules");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(fonts).toEqual([]);
  await page.goto(`${address}?view=overlaid`);
  const text = page.locator("main [role=document]");
  await expect(text).toBeVisible();
  // The first essay was drawn by lot: one without a Cyrillic letter needs no Cyrillic part of the font.
  const scripts = /[а-яё]/i.test((await text.textContent()) ?? "") ? 2 : 1;
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          [...document.fonts].filter(({ family, status }) => /PT Serif"?$/.test(family) && status === "loaded").length,
      ),
    )
    .toBe(scripts);
  expect(await page.evaluate(() => [...document.fonts].map(({ family }) => family.replaceAll('"', "")))).toEqual([
    "PT Serif",
    "PT Serif",
    "PT Serif in Times",
  ]);
  expect(await text.evaluate((element) => getComputedStyle(element).fontFamily)).toMatch(/^"PT Serif"/);
  expect(fonts).toEqual(Array(scripts).fill(CLOUD));
  const licence = await page.request.get("/assets/pt-serif-OFL.txt");
  expect(await licence.text()).toContain("SIL Open Font License, Version 1.1");
});

test("lines are drawn anew when the font comes late", async ({ page }) => {
  let release = () => {};
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/*.woff2", async (route) => {
    await late;
    await route.fallback();
  });
  await open(page, `${address}?view=overlaid`);
  const lines = page.locator("main svg[class*=lines] path");
  await expect(lines.first()).toBeAttached();
  const drawn = () => lines.evaluateAll((all) => all.map((each) => each.getAttribute("d")));
  const before = await drawn();
  release();
  await expect.poll(drawn).not.toEqual(before);
});

for (const [language, first] of [
  ["en", "The essay's author will most likely understand it"],
  ["ru", "Автор эссе"],
] as const) {
  test(`M7 says what experts are asked, and its rule or how many were rated (${language})`, async ({ page }) => {
    const told = await answerTo(page, COMPARISON, () => open(page, `${address}?m=M7`, language));
    const { because, denominator } = told.comparisons[0].comparison.metrics.M7;
    await expect(page.locator("main ol li")).toHaveCount(5);
    await expect(page.locator("main ol li").first()).toContainText(first);
    const rated = language === "en" ? `rated: ${denominator}.` : `оценено: ${denominator}.`;
    await expect(page.locator("main section [role=status]")).toContainText(because ? because[language] : rated);
    await expectAccessible(page);
    await page.keyboard.press("7");
    await expect(page.locator("main ol")).toHaveCount(0);

    // The demonstration's explanations are of one kind; here two of X's were rated.
    await alter(page, "**/v1/**/comparison", (json) => {
      Object.assign(json.comparisons[0].comparison.metrics.M7, { because: null, denominator: 2, value: 80 });
    });
    await page.goto(`${address}?m=M7`);
    await expect(page.locator("main section [role=status]")).toContainText(
      language === "en" ? "rated: 2." : "оценено: 2.",
    );
  });
}

test("the words of a difference and what is told of it are on one screen, step after step", async ({ page }) => {
  const asked = await answerTo(page, COMPARISON, () => open(page));
  const { comparison } = asked.comparisons[0];
  const differences = comparison.pairs.filter(({ loss }: { loss: number }) => loss > 0).length;
  const steps = differences + comparison.unmatched_x.length + comparison.unmatched_y.length;
  expect(steps).toBeGreaterThan(3);
  const bands = page.locator("svg[class*=band]");
  const details = page.getByRole("region", { name: /^\S* ?[XY]\d+:/ });
  const seen = async (count: number) => {
    await expect(bands).toHaveCount(count);
    for (const band of await bands.all()) await expect(band.locator("rect").first()).toBeInViewport();
    await expect(details.getByRole("heading")).toBeInViewport();
  };
  const visited = new Set<string>();
  for (let step = 0; step < steps; step += 1) {
    await page.keyboard.press("j");
    await expect.poll(() => visited.has(page.url())).toBe(false);
    visited.add(page.url());
    await seen(2);
  }
  // A metric is explained where the page stands, and K goes on from there.
  const scrolled = () => page.evaluate(() => window.scrollY);
  const before = await scrolled();
  await page.getByRole("toolbar", { name: "Metrics" }).getByRole("button").nth(4).click();
  await expect(page).toHaveURL(/m=M5/);
  await seen(2);
  expect(await scrolled()).toBe(before);
  await page.keyboard.press("k");
  await seen(2);
  await page.keyboard.press("o");
  await page.keyboard.press("k");
  await seen(1);
});

/** Clause: platform §8 viewer */
test("a pair in full: its losses are those of the platform, and Enter goes to them", async ({ page }) => {
  const told = await answerTo(page, COMPARISON, () => open(page));
  const [first] = told.comparisons[0].comparison.pairs;
  await page.goto(`${address}?f=X${first.x + 1}`);
  const details = page.getByRole("region", { name: new RegExp(`^\\S* ?X${first.x + 1}:`) });
  const loss = String(Math.round(first.loss * 100) / 100);
  await expect(details).toContainText(`L = ${loss}, less than 2, so the two are a pair.`);
  await expect(details).toContainText(`Words in common: ${first.common_words}/${first.all_words}`);
  await page.keyboard.press("Enter");
  await expect(details).toBeFocused();
});

test("while scores are being made the page says so and looks again by itself", async ({ page }) => {
  await choose(page, "en", "light");
  await signIn(page, (await prepared()).captain, "participants");
  let asked = 0;
  await page.route("**/v1/**/comparison", (route) => {
    asked += 1;
    if (asked > 2) return route.fallback();
    return route.fulfill({ status: 202, json: { status: "scoring", scored: 0, files: 1 } });
  });
  await page.goto(address);
  await expect(page.getByText("Scoring continues: 0 of 1 file scored.")).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole("heading", { name: /Pair accuracy/ })).toBeVisible();
});

test("path 4: a comparison that is not allowed says why", async ({ page, quiet }) => {
  quiet.allow(/403/);
  await choose(page, "en", "light");
  const { captain, token } = await prepared();
  await signIn(page, captain, "participants");
  await page.goto(`/sessions/${await sessionOf(token, "test")}/files/1/comparison`);
  await expect(page.getByRole("alert")).toBeVisible();
  await expectAccessible(page);
});

/** Clause: R 2.19, platform §8 annotator */
test("a team reads its own answer alone and keeps it as a file", async ({ page }) => {
  const own = address.replace("comparison", "answer");
  const { answer, content_sha256: sum } = await answerTo(page, ANSWER, () => open(page, own));
  await expect(page.getByText(sum)).toBeVisible();
  expect(answer.selections.length).toBeGreaterThan(0);
  await expect(page.getByRole("heading", { name: /fragment/ })).toContainText(String(answer.selections.length));
  // The list is in the order of the text; places are code points.
  const first = [...answer.selections].sort(
    (one, other) => one.startSelection - other.startSelection || other.endSelection - one.endSelection,
  )[0];
  const quoted = [...answer.text].slice(first.startSelection, first.endSelection).join("");
  await expect(page.locator("ol > li").first()).toContainText(quoted);
  await page.locator("ol > li button").first().click();
  await expect(page.locator("ol > li[aria-current=true]")).toHaveCount(1);
  await expect(page.locator("main svg g[data-on]")).not.toHaveCount(0);
  const kept = JSON.parse((await downloaded(page, page.getByRole("button", { name: "Save as JSON" }))).content);
  expect([kept.text, kept.selections]).toEqual([answer.text, answer.selections]);
  const notation = await downloaded(page, page.getByRole("button", { name: "Save in the notation (.txt)" }));
  expect(notation.content).toContain(first.type);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 700 });
  await choose(page, "ru", "dark");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: /^Файл \d+: ответ$/ })).toBeVisible();
  await expectSound(page);
});

test("on a phone what a pair differs in is a sheet over the page, with the pair's words above it", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const told = await answerTo(page, COMPARISON, () => open(page, address, "ru"));
  const last = told.comparisons[0].comparison.pairs.at(-1);
  const sheet = page.locator("section[data-sheet]");
  await expect(page.getByText(/^Пары и фрагменты/)).toBeVisible();
  await expect(sheet).toHaveCount(0);
  await expect(page.locator("main [role=document] p").nth(1)).toBeInViewport();
  const next = page.getByRole("button", { name: "Следующее расхождение" });
  await next.click();
  for (let step = 0; step < 3; step += 1) {
    await expect(sheet).toBeInViewport();
    const shown = page.locator("svg[class*=band] rect").first();
    await expect(shown).toBeInViewport();
    expect((await shown.boundingBox())?.y).toBeLessThan((await sheet.boundingBox())?.y ?? 0);
    await next.click();
  }

  await page.goto(`${address}?f=X${last.x + 1}`);
  await expect(sheet).toBeInViewport();
  const place = await sheet.evaluate((element) => element.getBoundingClientRect().toJSON());
  expect([place.left, place.right, place.bottom]).toEqual([0, 390, 844]);
  expect(place.top).toBeGreaterThanOrEqual(422);
  const band = page.locator("svg[class*=band] rect").first();
  await expect(band).toBeInViewport();
  expect((await band.boundingBox())?.y).toBeLessThan(place.top);
  await expectSound(page);

  // The page's end comes out from under it.
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  const end = await page.locator("body > #root").evaluate((root) => root.getBoundingClientRect().bottom);
  expect(end).toBeLessThanOrEqual(place.top + 1);

  await page.getByRole("button", { name: "Закрыть подробности" }).click();
  await expect(sheet).toHaveCount(0);
  await expect(page).not.toHaveURL(/f=/);
  await expect(page.locator("main [role=document]")).toBeFocused();

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${address}?f=X${last.x + 1}`);
  await expect(sheet).toBeVisible();
  expect(await sheet.evaluate((element) => getComputedStyle(element).position)).toBe("static");
  await expect(page.getByRole("button", { name: "Закрыть подробности" })).toHaveCount(0);
});

test("a thin line joins the active pair's fragments and no others, and stays with them", async ({ page }) => {
  const told = await answerTo(page, COMPARISON, () => open(page, `${address}?view=beside`));
  const { pairs } = told.comparisons[0].comparison;
  const elsewhere = pairs.find(({ j }: { j: number }) => j > 0) ?? pairs[0];
  const line = page.locator("main path[class*=connector]");
  await expect(page.locator("main svg[class*=ribbons] g").first()).toBeAttached();
  await expect(line).toHaveCount(0);

  await page.goto(`${address}?view=beside&f=X${elsewhere.x + 1}`);
  await expect(line).toHaveCount(1);
  // From the end of X's first line to the beginning of Y's, in pixels off.
  const off = () =>
    page.evaluate(() => {
      const path = document.querySelector("main path[class*=connector]")?.getBoundingClientRect();
      const [x, y] = [...document.querySelectorAll("main svg[class*=band]")].map((band) =>
        band.querySelector("rect")?.getBoundingClientRect(),
      );
      if (!path || !x || !y) return null;
      return [path.left - x.right, path.right - y.left].map((each) => Math.round(each) + 0);
    });
  await expect.poll(off).toEqual([0, 0]);
  await page.mouse.wheel(0, 300);
  await expect.poll(off).toEqual([0, 0]);
  await page.setViewportSize({ width: 1240, height: 700 });
  await expect.poll(off).toEqual([0, 0]);

  await page.keyboard.press("o");
  const within = page.locator("main svg[class*=connectors] path");
  await expect(within).toHaveCount(1);
  const crosses = () =>
    page.evaluate(() => {
      const path = document.querySelector("main svg[class*=connectors] path")?.getBoundingClientRect();
      const text = document.querySelector("main [role=document]")?.getBoundingClientRect();
      return path && text ? Math.round(path.right - text.right) : null;
    });
  await expect.poll(crosses).toBe(4);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(crosses).toBe(4);
  await expectNoSidewaysScroll(page);
  await page.goto(`${address}?view=overlaid`);
  await expect(page.locator("main svg[class*=lines] path").first()).toBeAttached();
  await expect(within).toHaveCount(0);
});

test("an own answer has no grade of its own; the page leads to the one in the comparison", async ({ page }) => {
  const told = await answerTo(page, ANSWER, () => open(page, address.replace("comparison", "answer")));
  expect(JSON.stringify(told)).not.toContain('"grade"');
  await expect(page.getByText("Clause 6.5.1 of the regulation: The report estimates")).toBeVisible();
  const compared = await answerTo(page, COMPARISON, () =>
    page.getByRole("link", { name: "the comparison shows it" }).click(),
  );
  await expect(page).toHaveURL(/m=M1/);
  const { x } = compared.comparisons[0].comparison.grades;
  const [name, points] = Object.entries(x.criteria)[0] as [string, number];
  const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${name}\\b`) }) });
  await expect(row).toContainText(`${points}: ${x.explanations[name].en}`);
});

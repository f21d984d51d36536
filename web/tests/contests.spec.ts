import { PORT } from "./cloud.ts";
import { choose, downloaded, expect, expectAccessible, expectSound, signIn, test } from "./fixtures.ts";
import { OwnCloud } from "./ownCloud.ts";

interface Told {
  sections: { key: string; columns: { en: string }[]; rows: (string | number | null)[][] }[];
  files: { number: number; file_id: string }[];
}
interface Board {
  rows: { value: number; session_id: string }[];
}

const CAPTAIN = "participant@example.org";
const ORGANIZER = "organizer@example.org";

/** A cloud of another contest than the essays, with what the tests ask it for. */
class Contest extends OwnCloud {
  async session(set: string): Promise<string> {
    const { sessions } = await this.read<{ sessions: { set: string; session_id: string }[] }>("/v1/sessions");
    return sessions.find((each) => each.set === set)?.session_id ?? "none";
  }

  /** A table of a report or a board's row, by its key. */
  async table(path: string, key: string): Promise<(string | number | null)[][]> {
    const found = (await this.read<Told>(path)).sections.find((each) => each.key === key);
    return found?.rows ?? [];
  }
}

const share = (value: unknown) => Number(value).toFixed(3);

test.describe("the exam", () => {
  const exam = new Contest("exam", PORT + 4).raisedForGroup();

  test("the board has people's level as a row and a line, opens its tables, says when it is frozen", async ({
    page,
  }) => {
    const [row] = (await exam.read<Board>("/v1/boards/grade_norm")).rows;
    await page.goto("/boards");
    await expect(page.getByRole("row").first()).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Part of the leaderboard" })).toHaveCount(0); // of one language
    await expect(page.getByRole("row", { name: /^— people \(2019\)/ })).toContainText("0.701");
    const team = page.getByRole("row", { name: /Pilot program/ });
    await expect(team.getByRole("img")).toHaveAttribute(
      "aria-label",
      `${share(row?.value)}, people (2019), 23.835 of 34 at 0.701`,
    );
    await expect(page.getByText("No team is above the level: people (2019), 23.835 of 34.")).toBeVisible();
    await page.getByRole("button", { name: "Pilot program", exact: true }).press("Enter");
    const results = page.getByRole("region", { name: "Result", exact: true }).getByRole("row");
    await expect(results.filter({ hasText: "people" })).toContainText("23.835");
    await expectAccessible(page);
    const decided = "/v1/conduct/boards/qualification/decision";
    await exam.asOrganizer("POST", decided, { state: "frozen", reason: "the last day" });
    await expect(async () => {
      await page.reload();
      await expect(page.getByText(/This leaderboard is frozen\. It shows the state of/)).toBeVisible({
        timeout: 1_000,
      });
    }).toPass();
    await exam.asOrganizer("POST", decided, { state: "published", reason: "the end" });
    await choose(page, "ru", "dark");
    await page.setViewportSize({ width: 320, height: 700 });
    await page.reload();
    await expect(page.getByText(/Пунктир: люди \(2019\), 23,835 из 34, 0,701/).first()).toBeVisible();
    await expectSound(page);
  });

  test("a report keeps the decimals that matter, draws every task against people and the maximum", async ({ page }) => {
    const session = await exam.session("train");
    await signIn(page, CAPTAIN, "participants");
    await page.goto(`/cabinet/sessions/${session}/report`);
    const tasks = await exam.table(`/v1/sessions/${session}/report`, "by_task");
    expect(tasks).toHaveLength(30);
    const table = page.getByRole("region", { name: "By task", exact: true }).locator("table");
    await expect(table.locator("tbody tr")).toHaveCount(30);
    for (const [name, , , , value] of tasks) {
      const row = table
        .locator("tbody tr")
        .filter({ has: page.getByRole("rowheader", { name: String(name), exact: true }) });
      await expect(row.getByRole("cell").nth(3)).toHaveText(share(value));
      const said = `People, the whole exam 0.701, Share ${share(value)}, people (2019), 23.835 of 34 at 0.701`;
      await expect(row.getByRole("img")).toHaveAttribute("aria-label", said);
    }
    await expect(page.getByText("The right end of the axis is the maximum.").first()).toBeVisible();
    await expect(page.getByText(/Files by value\. ← and → walk/)).toBeVisible();
    await expect(page.getByRole("figure").filter({ hasText: "Points" }).first()).not.toContainText("%");
    await expectAccessible(page);
    await choose(page, "ru", "dark");
    await page.reload();
    await expect(page.getByRole("heading", { name: "По заданиям" })).toBeVisible();
    await expectAccessible(page);
  });

  test("files have words and whole points; an answer and its reference are told as they are", async ({ page }) => {
    const session = await exam.session("train");
    const files = await exam.table(`/v1/sessions/${session}/report`, "files");
    const report = await exam.read<Told>(`/v1/sessions/${session}/report`);
    const [name, , task, type, points, of] = files[2] as (string | number)[];
    const number = report.files.find(({ file_id }) => file_id === name)?.number ?? 0;
    await signIn(page, CAPTAIN, "participants");
    await page.goto(`/cabinet/sessions/${session}/files?file=${number}`);
    const details = page.getByRole("region", { name: `File ${number}`, exact: true });
    await expect(details).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText("NaN");
    const told = await details.locator("dd").allTextContents();
    expect(told.slice(-4)).toEqual([String(task), String(type), String(points), String(of)]);
    await expect(page.getByRole("combobox", { name: "Metric" }).getByRole("option")).toHaveText(["—", "Points", "of"]);
    await page.getByRole("button", { name: "Task", exact: true }).click();
    await expect(
      page
        .locator("tbody tr")
        .filter({ has: page.getByRole("rowheader") })
        .first(),
    ).toContainText("1");
    await expectAccessible(page);
    await details.getByRole("link", { name: "The answer itself" }).click();
    await expect(page.getByText("File as handed out")).toBeVisible();
    await expect(page.getByText('"prompt"')).toBeVisible();
    await expectAccessible(page);
    await page.goto(`/sessions/${session}/files/${number}/comparison`);
    await expect(page.getByText('"outputs"')).toBeVisible();
    await expectAccessible(page);
  });

  test("of the hidden test set no comparison is offered, and the page says why", async ({ page }) => {
    const session = await exam.session("test");
    await signIn(page, CAPTAIN, "participants");
    await page.goto(`/cabinet/sessions/${session}/files?file=1`);
    await expect(page.getByText(/For this set the report shows only totals/)).toBeVisible();
    await expect(page.getByRole("link", { name: "The answer itself" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Compare with the experts" })).toHaveCount(0);
    await expectAccessible(page);
  });

  test("the desk reveals the board in its own measure", async ({ page }) => {
    const [row] = (await exam.read<Board>("/v1/boards/grade_norm")).rows;
    await signIn(page, ORGANIZER, "staff", "/desk/settlement/qualification/reveal");
    await expect(page.getByRole("columnheader", { name: "grade_norm" })).toBeVisible();
    await page.keyboard.press("ArrowDown");
    const shown = page.getByRole("row", { name: /Pilot program/ });
    await expect(shown).toContainText(share(row?.value));
    await expect(shown.getByRole("img")).toHaveAttribute("aria-label", /people \(2019\), 23\.835 of 34 at 0\.701$/);
    await expect(
      page.getByRole("status").filter({ hasText: `Place 1: Pilot program, ${share(row?.value)}.` }),
    ).toHaveCount(1);
    await expectAccessible(page);
  });
});

test.describe("the correction of grammar", () => {
  const gec = new Contest("gec", PORT + 6).raisedForGroup();

  test("each of the two boards has its own value, file and preview", async ({ page }) => {
    const [row] = (await gec.read<Board>("/v1/boards/concentrated")).rows;
    await page.goto("/boards");
    const kinds = page.getByRole("navigation", { name: "Ranking of teams" });
    await kinds.getByRole("link", { name: "Context-dependent edits" }).click();
    await expect(page).toHaveURL(/key=concentrated/);
    await expect(kinds.locator("[aria-current=page]")).toHaveText(["Context-dependent edits"]);
    await expect(page.getByRole("columnheader", { name: "Recall" })).toBeVisible();
    await expect(page.getByRole("row", { name: /Pilot program/ })).toContainText(share(row?.value));
    await expectAccessible(page);
    const kept = await downloaded(page, page.getByRole("button", { name: "Download CSV" }));
    expect(kept.name).toBe("board-concentrated.csv");
    const [head, line] = kept.content.replace("\ufeff", "").split(/\r?\n/);
    const at = (head ?? "").split(",").indexOf("concentrated");
    expect(Number((line ?? "").split(",")[at])).toBe(row?.value);

    await signIn(page, ORGANIZER, "staff", "/desk/settlement");
    const other = page.getByRole("region", { name: "Context-dependent edits", exact: true });
    await expect(other.getByRole("row", { name: /Pilot program/ })).toContainText(share(row?.value));
    await expectAccessible(page);
    await other.getByRole("link", { name: /Reveal it place by place/ }).click();
    await page.getByRole("button", { name: "Reveal the next place" }).click();
    await expect(page.getByRole("columnheader", { name: "Recall" })).toBeVisible();
    await expect(page.getByRole("row", { name: /Pilot program/ })).toContainText(share(row?.value));
  });

  test("precision, recall and F are drawn by type, corpus, direction and distance of the context", async ({ page }) => {
    const session = await gec.session("train");
    await signIn(page, CAPTAIN, "participants");
    await page.goto(`/cabinet/sessions/${session}/report`);
    for (const [key, title] of [
      ["by_type", "By type"],
      ["concentrated_by_source", "Context-dependent, by corpus"],
      ["concentrated_by_context", "Context-dependent, by direction and distance"],
    ] as const) {
      const rows = await gec.table(`/v1/sessions/${session}/report`, key);
      expect(rows.length).toBeGreaterThan(0);
      const drawn = page.getByRole("region", { name: title, exact: true }).locator("[data-chart=row]");
      await expect(drawn).toHaveCount(rows.length);
      const said = rows.map(([, , , , p, r, f]) => `Precision ${share(p)}, Recall ${share(r)}, F0.5 ${share(f)}`);
      expect(await drawn.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")))).toEqual(said);
    }
    await expectAccessible(page);
    await choose(page, "ru", "dark");
    await page.setViewportSize({ width: 320, height: 700 });
    await page.reload();
    await expect(
      page.getByRole("heading", { name: "Контекстно зависимые, по направлению и расстоянию" }),
    ).toBeVisible();
    await expectSound(page);
  });

  /** Clause: TS G-4 */
  test("what a set holds is shown in the contest's tables, of sets given whole alone", async ({ page, quiet }) => {
    quiet.allow(/404/); // of the set that is not given whole
    await signIn(page, CAPTAIN, "participants", "/cabinet/sets");
    await expect(page.getByRole("region", { name: "train" })).toContainText(
      "texts with the references by which answers are scored",
    );
    await expect(page.getByRole("link", { name: /^Contents of the set/ })).toHaveText([/Contents of the set train/]);
    await page.getByRole("link", { name: /^Contents of the set train/ }).click();
    await expect(page).toHaveTitle(/Contents of the set train/);
    const told = await gec.table("/v1/sets/train/description", "contexts");
    const contexts = page.getByRole("region", { name: "Context that errors need", exact: true });
    await expect(contexts.getByRole("row")).toHaveCount(told.length + 1);
    await expect(page.getByRole("heading", { level: 2 })).toHaveCount(5);
    await expectAccessible(page);
    await choose(page, "ru", "dark");
    await page.setViewportSize({ width: 320, height: 700 });
    await page.reload();
    await expect(page.getByRole("heading", { level: 1, name: "Состав выборки train" })).toBeVisible();
    await expectSound(page);
    await page.goto("/sets/test");
    await expect(page.getByRole("alert")).toBeVisible();
    await signIn(page, ORGANIZER, "staff", "/desk/sets");
    const cards = page.getByRole("listitem").filter({ has: page.getByText("test", { exact: true }) });
    await cards.getByRole("link", { name: "Содержание" }).click();
    await expect(page.getByRole("heading", { level: 2 })).toHaveCount(5);
  });
});

test.describe("the diagnosis", () => {
  const diagnosis = new Contest("diagnosis", PORT + 8).raisedForGroup();

  /** Clause: D-App1б 4, D-App1в table */
  test("a report draws each nosology's matrix, and its shares' bounds against the barrier", async ({ page }) => {
    test.setTimeout(120_000);
    const session = await diagnosis.session("semifinal");
    const rows = await diagnosis.table(`/v1/sessions/${session}/report`, "nosologies");
    expect(rows.length).toBeGreaterThan(0);
    await signIn(page, CAPTAIN, "participants");
    await page.goto(`/cabinet/sessions/${session}/report`);
    const part = page.getByRole("region", { name: "By nosology", exact: true });
    const charts = page.locator("section", { has: page.getByRole("heading", { name: "By nosology" }) });
    const figures = charts.locator("figure");
    await expect(figures).toHaveCount(rows.length);
    for (const [at, [name, tp, fn, fp, tn, se, bound, , , , passed, barrier]] of rows.entries()) {
      const figure = figures.nth(at);
      const title = String(name).split(" · ")[0] ?? "";
      await expect(figure.locator("figcaption")).toHaveText(
        new RegExp(`^${title}: ${passed === "+" ? "all that" : `not reached|^${title}: undefined`}`),
      );
      await expect(figure.locator("[data-cell]")).toHaveText([`${tp}TP`, `${fn}FN`, `${fp}FP`, `${tn}TN`]);
      const chart = figure.getByRole("img");
      await chart.focus();
      for (let step = 0; step < 5; step += 1) await page.keyboard.press("ArrowRight");
      const told = figure.getByRole("status");
      if (se === null) await expect(told).toHaveText(/^Se: —/);
      else
        await expect(told).toHaveText(
          new RegExp(`^Se: ${share(se)}, lower bound ${share(bound)}, to be reached: ${share(barrier)}`),
        );
    }
    await expect(part.getByRole("rowheader")).toHaveText(rows.map(([name]) => String(name).split(" · ")[0] ?? ""));
    await expectAccessible(page);
    await choose(page, "ru", "dark");
    await page.setViewportSize({ width: 320, height: 700 });
    await page.reload();
    await expect(page.getByRole("rowheader", { name: "Файлы", exact: true })).toBeVisible();
    const russian = String(rows[0]?.[0]).split(" · ")[1] ?? "";
    await expect(page.getByRole("listitem").getByText(russian, { exact: true })).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText(/[A-Za-z] · [А-Яа-я]/);
    await expectSound(page);
  });

  test("an answer beside its references is called what it is, no comparison of markups", async ({ page }) => {
    const session = await diagnosis.session("train");
    await signIn(page, CAPTAIN, "participants");
    await page.goto(`/sessions/${session}/files/1/comparison`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("File 1: the answer beside the references");
    await expectAccessible(page);
  });

  test("an announced run tells its start in the reader's zone, the cycle's beside it", async ({ page }) => {
    await page.goto("/announcements");
    const announced = page.getByRole("article").filter({ hasText: /^Final: / });
    await expect(announced.locator("h2 time")).toHaveText(/\d+ \w+ 20\d\d at \d\d:\d\d \(.*GMT\+3\)/);
    await expect(page.getByRole("main")).not.toContainText(/\d{4}-\d\d-\d\dT/);
    await expectAccessible(page);
  });

  test("the rules have the clauses of this contest's regulation, each at its address", async ({ page }) => {
    await page.goto("/rules#d-6.10");
    const clause = page.getByRole("link", { name: "6.10", exact: true });
    await expect(clause).toBeInViewport();
    await expect(page.getByText(/^Judges and commissions revise a team's data/)).toBeVisible();
    await expect(page.getByRole("link", { name: "8.2.1", exact: true })).toHaveCount(0);
    await expectAccessible(page);
  });
});

test.describe("the fusion", () => {
  const fusion = new Contest("fusion", PORT + 10).raisedForGroup();

  /** Clause: F sum, F minima */
  test("the board draws S against its minimum, and each of the four against its own", async ({ page }) => {
    const { rows } = await fusion.read<{ rows: Told[] }>("/v1/boards/s");
    const sum = rows[0]?.sections.find(({ key }) => key === "sum")?.rows ?? [];
    expect(sum.map(([name]) => name)).toEqual(["C2C", "HTR", "zsOD", "VQA", "S"]);
    await page.goto("/boards?open=pilot");
    const figure = page.locator("figure").filter({ hasText: "zsOD" });
    const below = sum.filter(([, , value, minimum]) => value === null || Number(value) < Number(minimum));
    await expect(figure.locator("figcaption")).toHaveText(
      below.length > 0 ? `not reached: ${below.map(([name]) => name).join(", ")}` : /^all required/,
    );
    await expect(figure.locator("[data-judged=true]")).toHaveCount(sum.length - below.length);
    await figure.getByRole("button", { name: /The same as a table/ }).click();
    await expect(figure.locator("tbody tr")).toHaveCount(sum.length);
    await expect(figure.locator("tbody tr").last().getByRole("cell").nth(3)).toHaveText("1.3");
    await expectAccessible(page);
    await choose(page, "ru", "dark");
    await page.setViewportSize({ width: 320, height: 700 });
    await page.reload();
    await expect(page.getByRole("term").filter({ hasText: "Минимум" }).first()).toBeVisible();
    await expectSound(page);
  });
});

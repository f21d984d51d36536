import type { Page } from "@playwright/test";
import { expectSaved } from "./annotator.ts";
import { PORT } from "./cloud.ts";
import { choose, expect, expectAccessible, expectSound, signIn, test } from "./fixtures.ts";
import { OwnCloud } from "./ownCloud.ts";

const gec = new OwnCloud("gec", PORT + 24, "people");
const [FIRST, SECOND] = ["expert@example.org", "second.expert@example.org"] as const;

interface Given {
  assignment_id: string;
  state: string;
}

const ask: OwnCloud["as"] = gec.as.bind(gec);

/** A text of a contest in tokens as the platform hands it out, by the one expert who has it, opened or not. */
async function waiting(email: string): Promise<string> {
  const { body } = await ask(email, "GET", "/v1/assignments");
  return body.assignments.find((each: { state: string }) => each.state === "assigned").assignment_id;
}

const text = (page: Page) => page.getByRole("listbox", { name: /^(The text|Текст)/ });

async function drafted(assignment: string): Promise<object[]> {
  return (await ask(FIRST, "GET", `/v1/assignments/${assignment}`)).body.draft.edits;
}

test.describe("texts in tokens", () => {
  gec.raisedForGroup(async () => {
    const emails = [FIRST, SECOND];
    await gec.order("/enlist", { emails, subjects: ["letters", "reports", "stories"], languages: ["eng"] });
    await gec.order("/organizer", { method: "POST", path: "/v1/markings", body: { set: "test" } });
  });

  test("an annotator marks errors wholly by keys, with their context, undoes, and hands in", async ({ page }) => {
    const assignment = await waiting(FIRST);
    await signIn(page, FIRST, "staff");
    // The list and the way to it are called as the contest calls what it marks up.
    await page.getByRole("link", { name: "My texts" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Texts to mark up");
    await expect(page.getByRole("main")).not.toContainText(/essay/i);
    await page.goto(`/assignments/${assignment}`);
    await page.getByRole("button", { name: "Open and start the time" }).click();
    // Until the browser confirms that no other tab has the text, it cannot be changed, and there is no such button.
    await expect(page.getByRole("button", { name: /^Mark/ })).toBeVisible();
    await text(page).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Enter");
    const correction = page.getByRole("textbox", { name: "Correction" });
    await expect(correction).toBeFocused();
    await page.keyboard.type("two words");
    await page.keyboard.press("Tab");
    await page.keyboard.type("R:NOUN");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await expect(page.getByRole("checkbox", { name: /more than its own clause/ })).toBeChecked();
    await expectSaved(page);
    expect(await drafted(assignment)).toEqual([
      { start: 1, end: 3, correction: "two words", type: "R:NOUN", context_dependent: true },
    ]);
    await page.keyboard.press("Control+Shift+Enter");
    const sheet = page.getByRole("dialog");
    await expect(sheet).toContainText("say what the context of this error is needed for");
    await expect(sheet.getByRole("button", { name: /^Hand in/ })).toBeDisabled();
    await page.keyboard.press("Escape");
    await page.getByRole("checkbox", { name: "needed to correct it" }).press("Space");
    await page.getByRole("combobox", { name: "How far is counted in" }).selectOption("sentence");
    await page.getByRole("combobox", { name: "The context is" }).selectOption("both");
    await page.getByRole("spinbutton", { name: "How far after" }).fill("2");
    await page.keyboard.press("Escape");
    await expect(text(page)).toBeFocused();
    await page.keyboard.press("i");
    await page.keyboard.type("missing");
    await expect(page.getByText("2 errors")).toBeVisible();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect(page.getByText("1 error", { exact: true })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Control+Shift+Enter");
    // The undone state is saved first; until then Enter would be for the other button.
    await expect(sheet.getByRole("button", { name: /^Hand in/ })).toBeEnabled();
    await sheet.getByRole("button", { name: /^Hand in/ }).press("Enter");
    await expect(page.getByRole("heading", { name: "handed in" })).toBeVisible();
    const { body } = await ask(FIRST, "GET", `/v1/assignments/${assignment}`);
    expect(body.draft.edits).toEqual([
      {
        start: 1,
        end: 3,
        correction: "two words",
        type: "R:NOUN",
        context_dependent: true,
        context: { detection: false, correction: true, scope: "sentence", direction: "both", left: 1, right: 2 },
      },
    ]);
  });

  test("by mouse, nothing is lost offline or by a reload, a second tab only shows, and a text without errors is handed in", async ({
    page,
    context,
    quiet,
  }) => {
    quiet.allow(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
    await choose(page, "ru", "dark");
    const assignment = await waiting(FIRST);
    await signIn(page, FIRST, "staff");
    await page.goto(`/assignments/${assignment}`);
    await page.getByRole("button", { name: "Открыть и начать отсчёт времени" }).click();
    const words = text(page).getByRole("option");
    await words.nth(2).dblclick();
    await page.getByRole("textbox", { name: "Исправление" }).fill("иначе 😀");
    await expectSaved(page);
    await context.setOffline(true);
    await page.getByRole("combobox", { name: "Тип", exact: true }).fill("R:VERB");
    await expect(page.locator("[data-state=kept]")).toBeVisible();
    await context.setOffline(false);
    await page.reload();
    await expect(page.getByText("1 ошибка", { exact: true })).toBeVisible();
    await expectSaved(page);
    expect(await drafted(assignment)).toEqual([
      { start: 2, end: 3, correction: "иначе 😀", type: "R:VERB", context_dependent: false },
    ]);
    const second = await context.newPage();
    await second.goto(`/assignments/${assignment}`);
    await expect(second.locator("[data-state]", { hasText: "Открыто в другой вкладке" })).toBeVisible();
    await expect(second.getByRole("button", { name: "Сдать…" })).toBeHidden();
    await second.close();
    await page.setViewportSize({ width: 320, height: 640 });
    await expectSound(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole("listitem").getByRole("button", { name: /иначе/ }).click();
    await page.getByRole("button", { name: "Удалить" }).click();
    await page.getByRole("button", { name: "Сдать…" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Сдать/ })
      .click();
    await expect(page.getByText("0 ошибок.")).toBeVisible();
    expect((await ask(FIRST, "GET", `/v1/assignments/${assignment}`)).body.draft.edits).toEqual([]);
  });

  test("the coordinator sees how far two annotators agree, field by field and by type of error", async ({ page }) => {
    const { body } = await ask(SECOND, "GET", "/v1/assignments");
    expect(body.assignments.length).toBeGreaterThan(2);
    const seconds = new Set(body.assignments.map((each: Given) => each.assignment_id));
    const marking = (await ask("organizer@example.org", "GET", "/v1/markings")).body.markings[0].marking_id;
    const progress = (await ask("organizer@example.org", "GET", `/v1/markings/${marking}`)).body;
    // A text that neither has begun: the second annotator's first text was drawn by lot, the first one has done two.
    const both = progress.essays.find(({ assignments }: { assignments: Given[] }) =>
      assignments.every(({ state }) => state === "assigned"),
    ).assignments as Given[];
    const edit = { start: 0, end: 1, correction: "x", type: "R:OTHER" };
    const context = { detection: true, correction: true, scope: "clause", direction: "left", left: 1 };
    const said = [{ ...edit, context_dependent: true, context }, edit];
    for (const [place, email] of [SECOND, FIRST].entries()) {
      const own = both.find((each) => seconds.has(each.assignment_id) === (email === SECOND))?.assignment_id ?? "";
      await ask(email, "POST", `/v1/assignments/${own}/open`);
      expect((await ask(email, "PUT", `/v1/assignments/${own}/draft`, { edits: [said[place]] }, 0)).status).toBe(200);
      expect((await ask(email, "POST", `/v1/assignments/${own}/hand-in`, undefined, 1)).status).toBe(200);
    }
    await gec.order("/drain");
    await signIn(page, "organizer@example.org", "staff");
    await page.goto(`/desk/experts/markings/${marking}/agreement`);
    const fields = page.getByRole("region", { name: "Agreement by field" });
    await expect(fields.getByRole("row", { name: /^type of error/ })).toContainText("100.0");
    await expect(fields.getByRole("row", { name: /^whether context is needed/ })).toContainText("0.0");
    const types = page.getByRole("region", { name: "Agreement by type of error" });
    await expect(types.getByRole("row", { name: /^R:OTHER/ })).toContainText("1");
    await expectAccessible(page);
    const refused = await ask(
      "participant@example.org",
      "GET",
      "/v1/assignments",
      undefined,
      undefined,
      "participants",
    );
    expect(refused.status).toBe(403);
  });
});

import type { Page } from "@playwright/test";
import { advance, ask, drain, order } from "./cloud.ts";
import { FIRST, fragmentsOf, giveEssay, SECOND, THIRD } from "./experts.ts";
import {
  choose,
  downloaded,
  expect,
  expectAccessible,
  expectSound,
  forgetAnswers,
  OTHER_LOOKS,
  signIn,
  test,
} from "./fixtures.ts";

const ORGANIZER = "organizer@example.org";
const COMMISSION = "watcher@example.org";
const WORDS = "Пётр I правил долго. Губернская реформа усилила власть царя. Победа под Полтавой изменила ход войны.";

interface Staff {
  staff: { email: string; person_id: string }[];
}

/** Return the newest annotation project (empty before the first), and each expert's id and pseudonym by e-mail. */
async function known(): Promise<{ marking: string; name: (email: string) => string; id: (email: string) => string }> {
  const { markings } = (await ask(ORGANIZER, "GET", "/v1/markings")).body;
  const { staff } = (await ask(ORGANIZER, "GET", "/v1/staff")).body as Staff;
  const { experts } = (await ask(ORGANIZER, "GET", "/v1/experts")).body;
  const [newest] = markings.toSorted((one: { created_at: string }, other: { created_at: string }) =>
    other.created_at.localeCompare(one.created_at),
  );
  const id = (email: string) => staff.find((each) => each.email === email)?.person_id ?? "";
  const name = (email: string) =>
    experts.find(({ expert_id }: { expert_id: string }) => expert_id === id(email))?.pseudonym ?? "";
  return { marking: newest?.marking_id ?? "", id, name };
}

async function row(page: Page, name: string) {
  return page.getByRole("checkbox", { name: new RegExp(`${name}[,:]`) });
}

for (const [language, theme] of OTHER_LOOKS) {
  /** Clause: R 2.30 */
  test(`the coordinator reassigns what is late, reads agreement (${language}, ${theme})`, async ({ page, quiet }) => {
    test.setTimeout(180_000);
    quiet.allow(/409/); // One refusal is provoked.
    await choose(page, language, theme);
    const { text, assignments } = await giveEssay(WORDS);
    await order("/enlist", { emails: [FIRST, SECOND, THIRD], subjects: ["hist"] });
    const { marking, name } = await known();
    const subject = language === "ru" ? "История" : "History";
    // One opens it and lets the time run out; the other has not opened it yet.
    const late = `/v1/assignments/${assignments[FIRST]}`;
    expect((await ask(FIRST, "POST", `${late}/open`)).status).toBe(200);
    await advance(3700);
    await signIn(page, ORGANIZER, "staff", "/desk/experts");
    await expect(page.getByRole("link", { name: marking })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: marking }).click();
    const lateOnes = page.locator("section", { has: page.getByRole("heading", { name: /^(Late|Просрочено)$/ }) });
    await expect(lateOnes).toContainText(name(FIRST));
    await expectAccessible(page);

    // More time for the one, another expert for the other.
    await (await row(page, name(FIRST))).check();
    await page.getByRole("button", { name: /More time|Продлить/ }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("textbox", { name: /Reason|Причина/ }).fill("болел");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /More time|Продлить/ }).click();
    await expect(page.getByText(/Nothing is late|Просроченного нет/)).toBeVisible();
    await (await row(page, name(SECOND))).check();
    await page.getByRole("button", { name: /Assign to|Передать/ }).click();
    await dialog.getByRole("combobox").selectOption({ label: `${name(THIRD)} (${subject})` });
    await dialog.getByRole("textbox", { name: /Reason|Причина/ }).fill("отпуск");
    await dialog.getByRole("button", { name: /Assign to|Передать/ }).click();
    await expect(page.getByText(new RegExp(`${name(THIRD)}: (not opened|не открыто)`))).toBeVisible();
    // An expert who has the essay cannot get it a second time: the refusal is named.
    await (await row(page, name(THIRD))).check();
    await page.getByRole("button", { name: /Assign to|Передать/ }).click();
    await dialog.getByRole("combobox").selectOption({ label: `${name(FIRST)} (${subject})` });
    await dialog.getByRole("textbox", { name: /Reason|Причина/ }).fill("проба");
    await dialog.getByRole("button", { name: /Assign to|Передать/ }).click();
    await expect(page.getByRole("alert")).toContainText(name(THIRD));

    // Both hand in; agreement and drift appear without a reload.
    const third = (await ask(THIRD, "GET", "/v1/assignments")).body.assignments.at(-1).assignment_id;
    const marks = fragmentsOf(text, [
      ["Пётр I правил", "СЯП"],
      ["Победа под Полтавой", "РОЛЬ"],
    ]);
    for (const [email, assignment] of [
      [FIRST, assignments[FIRST]],
      [THIRD, third],
    ] as const) {
      const path = `/v1/assignments/${assignment}`;
      const opened = await ask(email, "POST", `${path}/open`);
      const revision = opened.body.assignment.draft?.revision ?? 0;
      expect(
        (await ask(email, "PUT", `${path}/draft`, { ...opened.body.content, selections: marks }, revision)).status,
      ).toBe(200);
      expect((await ask(email, "POST", `${path}/hand-in`, undefined, revision + 1)).status).toBe(200);
    }
    await drain();
    await forgetAnswers(page);
    await page.getByRole("link", { name: /Agreement and speed|Согласованность и скорость/ }).click();
    await expect(page.getByRole("row", { name: /СЯП|сяп/ })).toBeVisible();
    await expect(page.getByText(/100[.,]0/).first()).toBeVisible();
    await expectAccessible(page);
    expect((await downloaded(page, page.getByRole("button", { name: /XLSX/ }))).name).toBe(`experts-${marking}.xlsx`);

    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(`/desk/experts/markings/${marking}`);
    await expect(page.getByText(/^1 of 1$|^1 из 1$/)).toBeVisible();
    await expectSound(page);
    // Agreement and profiles are read on a phone, too.
    for (const [path, shows] of [
      [`/desk/experts/markings/${marking}/agreement`, "СЯП"],
      ["/desk/experts/people", name(FIRST)],
    ] as const) {
      await page.goto(path);
      await expect(page.locator("main tr, main li").filter({ hasText: shows }).first()).toBeVisible();
      await expectSound(page);
    }
  });
}

test("work is given out after its preview, and profiles are kept", { tag: "@gate" }, async ({ page }) => {
  test.setTimeout(120_000);
  await choose(page, "en", "light");
  await order("/enlist", { emails: [FIRST, SECOND], subjects: ["hist"] });
  const { name } = await known();
  await signIn(page, ORGANIZER, "staff", "/desk/experts");
  await page
    .getByRole("textbox", { name: "Set" })
    .or(page.getByRole("combobox", { name: "Set" }))
    .fill("train");
  await page.getByRole("button", { name: "Preview the distribution" }).click();
  await expect(page.getByText("Not every text can be covered, so none is given out:")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Give out: \d+$/ })).toBeHidden();
  await expectAccessible(page);

  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("button", { name: `Change ${name(FIRST)}` }).click();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: /Conflict groups/ }).fill("school-1, team-7");
  await page.getByRole("button", { name: "Save the profile" }).click();
  await expect(page.getByRole("row", { name: new RegExp(name(FIRST)) })).toContainText("school-1, team-7");
});

test("the commission sees all of it and is offered nothing that it may not do", async ({ page, quiet }) => {
  test.setTimeout(120_000);
  quiet.allow(/403/);
  await choose(page, "en", "light");
  await giveEssay(WORDS);
  const { marking, id } = await known();
  const staff = (await ask(ORGANIZER, "GET", "/v1/staff")).body as Staff;
  if (!staff.staff.some(({ email }) => email === COMMISSION)) {
    await ask(ORGANIZER, "POST", "/v1/staff", { email: COMMISSION, name: "Watcher", role: "commission" });
  }
  const profile = { subjects: [], languages: [], groups: [], active: true };
  expect((await ask(COMMISSION, "PUT", `/v1/experts/${id(FIRST)}`, profile)).status).toBe(403);
  expect((await ask(COMMISSION, "POST", "/v1/markings", { set: "train" })).status).toBe(403);
  await signIn(page, COMMISSION, "staff", "/desk/experts");
  await expect(page.getByRole("link", { name: marking })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Give work out" })).toBeHidden();
  await page.goto(`/desk/experts/markings/${marking}`);
  await expect(page.getByRole("heading", { name: "Essays: 1" })).toBeVisible();
  await expect(page.getByRole("checkbox")).toHaveCount(0);
  await page.goto("/desk/experts/people");
  await expect(page.getByRole("table")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Change/ })).toHaveCount(0);
});

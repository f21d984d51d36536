import type { Locator, Page } from "@playwright/test";
import { essay, expectSaved } from "./annotator.ts";
import { Program } from "./cabinetProgram.ts";
import { advance, order, prepared, sessionOf } from "./cloud.ts";
import { FIRST, giveEssay, saved } from "./experts.ts";
import { choose, expect, test } from "./fixtures.ts";
import { openNext, planned, stopLeft } from "./runs.ts";

/** Actions of a person who has one device alone. */
interface Hand {
  press: (page: Page, what: Locator) => Promise<void>;
  write: (page: Page, where: Locator, words: string) => Promise<void>;
  /** Marks the first word of the essay. */
  mark: (page: Page, code: Hand["code"]) => Promise<void>;
  /** The code `И.факт` as this hand writes it, or finds it in the lists. */
  code: readonly (string | RegExp)[];
  /** The event of the other device, which never comes. */
  never: string;
}

/** Highest number of Tab presses, more than any page needs. */
const MOST_TABS = 120;

/** Tab the shorter way: past a page's end Firefox's focus is in its own bars, which automation cannot leave by Tab. */
async function reach(page: Page, what: Locator): Promise<void> {
  await expect(what).toBeVisible();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    const key = await what.evaluate((element) => {
      const from = document.activeElement ?? document.body;
      if (from === element) return null;
      const isBefore = from.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
      return isBefore ? "Shift+Tab" : "Tab";
    });
    if (!key) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${what} is not reached by Tab`);
}

const HANDS: Readonly<Record<string, Hand>> = {
  keyboard: {
    press: async (page, what) => {
      await reach(page, what);
      await page.keyboard.press("Enter");
    },
    write: async (page, where, words) => {
      await reach(page, where);
      await page.keyboard.type(words);
    },
    mark: async (page, code) => {
      await reach(page, essay(page));
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("Control+Shift+ArrowRight");
      await page.keyboard.type(code.join("")); // as keys of another layout: Russian letters are no keys of the browser
      await page.keyboard.press("Enter");
    },
    code: ["b/afrn"],
    never: "mousedown",
  },
  mouse: {
    press: (_, what) => what.click(),
    // No key of the browser: words may come from a screen keyboard. Not by `fill`, whose text React misses in Firefox:
    // there Playwright sets the value from the page's own world, through the setter with which React compares.
    write: (_, where, words) =>
      where.evaluate((field, said) => {
        const { prototype } = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
        Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, said);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }, words),
    mark: async (page, code) => {
      const word = await essay(page).locator("p, div").first().boundingBox();
      const { x, y } = word as { x: number; y: number };
      await page.mouse.move(x + 4, y + 16);
      await page.mouse.down();
      await page.mouse.move(x + 30, y + 16, { steps: 3 });
      await page.mouse.up();
      await page.getByRole("button", { name: "Mark" }).click();
      for (const name of code) await page.getByRole("option", { name }).first().click();
    },
    code: [/^\W*Factual errors/, /И\.факт/],
    never: "keydown",
  },
};

async function enter(page: Page, { press }: Hand, email: string, door: string): Promise<void> {
  await press(page, page.getByRole("banner").getByRole("link", { name: "Sign in" }));
  await press(page, page.getByRole("button", { name: door }));
  await press(page, page.locator(`button[value="${email}"]`));
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign in" })).toHaveCount(0);
}

async function leave(page: Page, { press }: Hand): Promise<void> {
  await press(page, page.getByRole("banner").locator("summary"));
  await press(page, page.getByRole("button", { name: "Sign out" }));
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign in" })).toBeVisible();
}

let session = "";

test.beforeAll(async () => {
  test.setTimeout(180_000);
  await stopLeft();
  await order("/train"); // The first in the list of sessions.
  session = await sessionOf((await prepared()).token, "train");
});

test.beforeEach(stopLeft);

for (const [device, hand] of Object.entries(HANDS)) {
  /** Clause: platform §8 accessible */
  test(`with the ${device} alone a participant reads a report, an expert hands in an essay, an organizer pauses a run`, async ({
    page,
    quiet,
    browserName,
  }) => {
    test.setTimeout(240_000);
    quiet.allow(/429/); // A machine saves sooner again than the platform takes it; the page waits.
    if (browserName === "firefox") quiet.allow(/^SecurityError/); // the empty page before the first has no storage
    const { press, write, mark, code, never } = hand;
    await choose(page, "en", "light");
    await page.addInitScript((event) => {
      const refuse = () => {
        throw new Error(`${event} of the other device`);
      };
      addEventListener(event, refuse, true);
    }, never);
    const { captain, token } = await prepared();
    const { assignments } = await giveEssay("Первое второе третье.");
    const assignment = assignments[FIRST] as string;
    const runId = await planned({ files: 2 });
    await Program.join(runId, token);
    await openNext(runId);
    const link = (name: string | RegExp) => page.getByRole("main").getByRole("link", { name });
    const top = (name: string) => page.getByRole("banner").getByRole("link", { name });

    await page.goto("/");
    await enter(page, hand, captain, "Sign in as a participant");
    await press(page, top("Cabinet"));
    await press(page, link("Sessions"));
    await press(page, link(session));
    await press(page, link("Report"));
    await expect(page.getByRole("heading", { name: /of an expert: / })).toBeVisible();
    await leave(page, hand);

    await enter(page, hand, FIRST, "Sign in as staff");
    await press(page, top("My essays"));
    await press(page, page.locator(`a[href="/assignments/${assignment}"]`));
    await press(page, page.getByRole("button", { name: "Open the essay" }));
    await mark(page, code);
    await expectSaved(page);
    expect((await saved(FIRST, assignment)).map(({ type, words }) => [type, words])).toEqual([["И.факт", "Первое"]]);
    await press(page, page.getByRole("button", { name: "Hand in…" }));
    await expect(page.getByRole("button", { name: /cannot be changed/ })).toBeEnabled();
    await press(page, page.getByRole("button", { name: /cannot be changed/ }));
    await expect(page.getByRole("heading", { name: "handed in" })).toBeVisible();
    await leave(page, hand);

    await enter(page, hand, "organizer@example.org", "Sign in as staff");
    await press(page, top("Desk"));
    await press(page, page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: "Runs", exact: true }));
    await press(page, page.locator(`a[href="/desk/runs/${runId}"]`));
    await press(page, page.getByRole("button", { name: "Pause…" }));
    await write(page, page.getByRole("dialog").getByLabel(/^Reason/), "the hall has no power");
    await press(page, page.getByRole("dialog").getByRole("button", { name: /^Pause the run/ }));
    await expect(page.getByRole("dialog")).toBeHidden();
    await advance(10);
    await expect(page.getByRole("status").filter({ hasText: "paused" })).toBeVisible();
  });
}

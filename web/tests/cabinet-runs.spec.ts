import { Program } from "./cabinetProgram.ts";
import { advance, asOrganizer, asParticipant, drain, prepared } from "./cloud.ts";
import { choose, downloaded, expect, expectAccessible, expectSound, signIn, test } from "./fixtures.ts";
import { afterRuns, openNext, planned, stopLeft } from "./runs.ts";

interface Delivery {
  number: number;
  state: string;
  opens_at: string;
  request_by: string;
  handed_out_at: string | null;
  answer_by: string | null;
  answered_at: string | null;
}

test.beforeEach(stopLeft);

async function deliveries(session: string): Promise<Delivery[]> {
  const { captain } = await prepared();
  type Told = { deliveries: Delivery[] };
  return (await asParticipant<Told>(captain, "GET", `/v1/sessions/${session}`)).body.deliveries;
}

/** Return the seconds between two of the platform's times, as the page writes them. */
function seconds(from: string, to: string | null): string {
  const format = new Intl.NumberFormat("en", { style: "unit", unit: "second", maximumFractionDigits: 1 });
  return format.format((Date.parse(String(to)) - Date.parse(from)) / 1000);
}

test("a final's session: countdown, times in chart and table, losses, no early result", async ({ page }) => {
  test.setTimeout(120_000);
  const { captain, token } = await prepared();
  const run = await planned({ files: 3 });
  const program = await Program.join(run, token);
  await choose(page, "en", "light");
  await signIn(page, captain, "participants");
  await page.goto(`/cabinet/sessions/${program.sessionId}`);
  await expect(page.getByText("The first file opens in").getByRole("timer")).toHaveText(/^0\d:\d\d$/);
  await openNext(run);
  await advance(4);
  const first = await program.take(1);
  await advance(30);
  await program.answer(first);
  await expect(page.getByText("answered 1, void 0, under way 0")).toBeVisible();
  await openNext(run);
  await program.take(2);
  await expect(page.getByText("File 2:").getByRole("timer")).toBeVisible();
  await openNext(run);
  await advance(120);
  await expect(page.getByText("answered 1, void 2")).toBeVisible();

  const [one, two, three] = (await deliveries(program.sessionId)) as [Delivery, Delivery, Delivery];
  expect([one.state, two.state, three.state]).toEqual(["answered", "voided", "voided"]);
  const left = seconds(String(one.answered_at), one.answer_by);
  const finding = `Answered in time: 1 of 3, void: 2. File 1 was nearest to its limit: ${left} were left.`;
  const times = page.getByRole("region", { name: "Times of the files" });
  const chart = times.getByRole("img", { name: finding });
  await expect(chart).toBeVisible();
  await chart.focus();
  const told = times.getByRole("status");
  const after = (file: Delivery, at: string | null) => seconds(file.opens_at, at);
  await page.keyboard.press("ArrowDown");
  await expect(told).toHaveText(
    `File 1: handed out after ${after(one, one.handed_out_at)}, answered after ${after(one, one.answered_at)}, limit ${after(one, one.answer_by)}`,
  );
  await page.keyboard.press("ArrowDown");
  await expect(told).toHaveText(
    `File 2: handed out after ${after(two, two.handed_out_at)}, not answered, limit ${after(two, two.answer_by)}, void`,
  );
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(told).toHaveText(
    `File 3: never handed out, not answered, limit ${after(three, three.request_by)}, void`,
  );
  await expectAccessible(page);
  // The table says the same to the second.
  const rows = page.getByRole("region", { name: "Table of files" }).getByRole("row");
  const moments = async (number: number) =>
    rows
      .nth(number)
      .locator("td:nth-child(n+4):nth-child(-n+7)")
      .evaluateAll((cells) =>
        cells.map((cell) => cell.querySelector("time")?.getAttribute("datetime") ?? cell.textContent),
      );
  expect(await moments(1)).toEqual([one.opens_at, one.handed_out_at, one.answered_at, one.answer_by]);
  expect(await moments(2)).toEqual([two.opens_at, two.handed_out_at, "—", two.answer_by]);
  expect(await moments(3)).toEqual([three.opens_at, "—", "—", three.request_by]);
  await expect(page.getByText("Missed by the team, of the files that count: 66.7 %.")).toBeVisible();
  await expect(page.getByText("More than allowed: the solution is void.")).toBeVisible();
  const kept = await downloaded(page, times.getByRole("button", { name: /as SVG$/ }));
  expect(kept.name).toBe(`times-${program.sessionId}.svg`);
  await page.setViewportSize({ width: 320, height: 700 });
  await expectSound(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  // A timer closes the session of a run that is over; the report is made then.
  await advance(120);
  await drain();
  await expect(page.getByText("finished", { exact: true })).toBeVisible();
  await page.getByRole("navigation", { name: "Session" }).getByRole("link", { name: "Report", exact: true }).click();
  await expect(page.getByText("The results of a final are shown when they are published.")).toBeVisible();
  await page.getByRole("navigation", { name: "Cabinet" }).getByRole("link", { name: "Sessions" }).click();
  const row = page.getByRole("row").filter({ hasText: program.sessionId });
  await expect(row.getByRole("cell")).toHaveText([/^finished$/, "1/3", "2", "final", "test", /20\d\d/]);
});

test("a technical run's session, paused and stopped, says so in Russian; strangers are refused", async ({
  page,
  browser,
  quiet,
}) => {
  test.setTimeout(120_000);
  quiet.allow(/40[34]/);
  const { captain, token } = await prepared();
  await afterRuns();
  await choose(page, "ru", "dark");
  const run = await planned({ mode: "technical", set: "train", files: 30, trial: false });
  const program = await Program.join(run, token, "technical");
  const address = `/cabinet/sessions/${program.sessionId}`;
  await signIn(page, captain, "participants", address);
  await openNext(run);
  await program.answer(await program.take(1));
  await expect(page.getByText("с ответом 1, аннулировано 0, в работе 0, ждут 29")).toBeVisible();
  await expect(page.getByText("техническая")).toBeVisible();
  const decided = `/v1/conduct/runs/${run}/decisions`;
  await asOrganizer("POST", decided, { kind: "pause", reason: "no power" });
  await expect(page.getByText(/Прогон приостановлен самое позднее до/)).toBeVisible();
  await expectAccessible(page);
  await asOrganizer("POST", decided, { kind: "stop", reason: "no power today" });
  await advance(60);
  await expect(page.getByText("Оргкомитет остановил прогон.")).toBeVisible();

  const stranger = `stranger-${Date.now()}@example.org`;
  expect((await asParticipant(stranger, "GET", `/v1/sessions/${program.sessionId}`)).status).toBe(404);
  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, stranger, "participants", address);
  await expect(theirs.getByText("You belong to no team yet.")).toBeVisible();
  await theirs.context().close();
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "@playwright/test";
import { canonical, fromBase64 } from "../src/verify/canonical.ts";
import { isSignedBy } from "../src/verify/signature.ts";
import { advance, CLOUD, drain } from "./cloud.ts";
import { choose, expect, expectAccessible, expectSound, signIn, test } from "./fixtures.ts";

/** An organizer's program on this machine, which the local cloud calls: what came, and with which status it answers. */
const got: string[] = [];
let status = 204;
let host: Server;
let address = "";

test.beforeAll(async () => {
  host = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      got.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((ready) => host.listen(0, "127.0.0.1", ready));
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/hurdle`;
});

test.afterAll(() => host.close());

/** Let both timers run: one makes the request, the other sends it, and the next run once that is done. */
async function sent(count: number): Promise<void> {
  for (let visits = 0; visits < 4 && got.length < count; visits += 1) {
    await advance(60);
    await drain();
  }
  expect(got).toHaveLength(count);
}

async function press(page: Page, what: Locator, key = "Enter"): Promise<void> {
  await expect(what).toBeEnabled();
  for (let tabs = 0; tabs < 120 && !(await what.and(page.locator(":focus")).count()); tabs += 1) {
    await page.keyboard.press("Tab");
  }
  await expect(what).toBeFocused();
  await page.keyboard.press(key);
}

/** Clause: D 6.12 */
test("an organizer adds a webhook by keyboard, tests it, verifies what came, and removes it", async ({ page }) => {
  test.setTimeout(180_000);
  await choose(page, "en", "light");
  await signIn(page, "organizer@example.org", "staff", "/desk");
  await page.addInitScript(() => {
    addEventListener("mousedown", () => {
      throw new Error("a mouse");
    });
  });
  await expect(page.getByRole("navigation", { name: "Desk" }).getByRole("link", { name: "Webhooks" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("3");
  await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
  await expect(page.getByText("There are no webhooks yet")).toBeVisible();
  await press(page, page.getByLabel("Address, https on port 443"), "End");
  await page.keyboard.type(address);
  await page.keyboard.press("Enter");
  const hook = page.getByRole("region", { name: address, exact: true });
  await expect(hook.getByText("A test request comes within two minutes")).toBeVisible();
  await expect(hook.getByRole("button", { name: "Send a test request" })).toBeDisabled();
  await sent(1);
  const row = (of: string) => hook.getByRole("row").filter({ hasText: of });
  await expect(row("taken, HTTP 204")).toContainText("test");

  const { event, signature } = JSON.parse(got[0] as string);
  await expect(hook).toContainText(event.hook);
  const shown = page.getByRole("region", { name: "Verify a request" });
  await expect(shown).toContainText(event.key_id);
  const { keys } = await (await fetch(`${CLOUD}/v1/keys`)).json();
  const key = keys.find((each: { key_id: string }) => each.key_id === event.key_id);
  await expect(shown).toContainText(key.public_key);
  const isSigned = isSignedBy(key.algorithm, fromBase64(key.public_key), fromBase64(signature), canonical(event));
  expect(await isSigned).toBe(true);

  status = 500;
  await press(page, hook.getByRole("button", { name: "Send a test request" }));
  await sent(2);
  await expect(row("refused by the host, HTTP 500")).toContainText(/test.*1.*\d\d:\d\d/);
  await expect(hook.getByText("Failed attempts in a row: 1")).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectSound(page);
  await press(page, hook.getByRole("button", { name: "Remove the webhook" }));
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Remove the webhook" }));
  await expect(page.getByText("There are no webhooks yet")).toBeVisible();
});

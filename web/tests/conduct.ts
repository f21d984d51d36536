import type { Page } from "@playwright/test";
import { advance } from "./cloud.ts";
import { confirm, expect } from "./fixtures.ts";

/** Decide in the open dialogue: its preview must be there, and without a reason nothing can be done. */
export async function decide(page: Page, deed: RegExp, reason: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("region", { name: "What would change" })).toBeVisible();
  const button = dialog.getByRole("button", { name: deed });
  await expect(button).toBeDisabled();
  await dialog.getByLabel(/Reason/).fill(reason);
  await button.click();
  await expect(dialog).toBeHidden();
}

/** A moment as a field of date and time takes it, in the cycle's zone. */
export function fieldTime(at: number): string {
  return new Date(at).toLocaleString("sv-SE", { timeZone: "Europe/Moscow" });
}

export function cell(page: Page, team: string, says: string) {
  return page.getByRole("row").filter({ hasText: team }).getByRole("gridcell", { name: says });
}

/** Create a program's token on the page of tokens, which shows it once; return it. */
export async function newToken(page: Page, name: string): Promise<string> {
  await page.getByLabel("Name, to recognize the token").fill(name);
  await page.getByRole("button", { name: "Create a token" }).click();
  const token = String(await page.locator("pre").textContent());
  await page.getByRole("button", { name: "I have it" }).click();
  await expect(page.getByText(token)).toHaveCount(0);
  return token;
}

/** Revoke a token on the page of tokens: the interface refuses it from then on. */
export async function revokeToken(page: Page, name: string, token: string): Promise<void> {
  const row = page.getByRole("row").filter({ hasText: name });
  await confirm(row, "Revoke");
  await expect(row).toContainText("revoked");
  await advance(120);
  const answer = await page.request.get("/v1/sessions", { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status()).toBe(403);
}

import type { Page } from "@playwright/test";
import { expect } from "./fixtures.ts";

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

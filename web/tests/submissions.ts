import { expect, type Page } from "@playwright/test";
import { signIn } from "./fixtures.ts";
import { OwnCloud } from "./ownCloud.ts";

const CAPTAIN = "participant@example.org";

interface Line {
  submission_id: string;
  state: string;
  value: number | null;
}

/** A cloud of a contest that takes submissions, with what its tests ask it for. */
export class Taking extends OwnCloud {
  /** The program of another team. */
  async stranger(): Promise<string> {
    await this.contest("team", "add", "stranger", "Strangers");
    return this.contest("token", "issue", "stranger");
  }

  async newest(): Promise<Line> {
    return (await this.read<{ submissions: Line[] }>("/v1/submissions")).submissions[0] as Line;
  }
}

/** Open the cabinet's submissions as the team's captain. */
export async function enter(page: Page): Promise<void> {
  await signIn(page, CAPTAIN, "participants", "/cabinet/submissions");
  await expect(page.getByRole("heading", { level: 1, name: /Submissions|Посылки/ })).toBeVisible();
}

export interface Bringable {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Choose a file and submit it; its submission's page is open then. */
export async function submit(page: Page, file: Bringable | string): Promise<string> {
  await page.getByLabel(/File with the answers|Archive/).setInputFiles(file);
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForURL(/\/cabinet\/submissions\/\d{15}$/);
  return page.url().slice(-15);
}

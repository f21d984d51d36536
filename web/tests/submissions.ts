import { expect, type Page } from "@playwright/test";
import { signIn } from "./fixtures.ts";
import { raise } from "./start.ts";

export const CAPTAIN = "participant@example.org";

interface Line {
  submission_id: string;
  state: string;
  value: number | null;
}

/** A cloud of a contest that takes submissions, with what its tests ask it for. */
export class Taking {
  readonly url: string;
  readonly #desk: string;
  #token = "";

  constructor(
    readonly contest: string,
    readonly port: number,
    /** The cycle and its people are enough: nothing of the contest has been played. */
    readonly only?: "people",
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.#desk = `http://127.0.0.1:${port + 1}`;
  }

  async raised(): Promise<() => void> {
    const end = await raise(this.port, this.contest, this.only);
    this.#token = (await this.order<{ token: string }>("/prepared")).token;
    return end;
  }

  async order<T>(path: string, said: object = {}): Promise<T> {
    const answer = await fetch(this.#desk + path, { method: "POST", body: JSON.stringify(said) });
    expect(answer.status).toBe(200);
    return (await answer.json()) as T;
  }

  /** Ask the interface as the team's program. */
  async ask<T>(path: string, token = this.#token): Promise<{ status: number; body: T }> {
    const answer = await fetch(this.url + path, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as T };
  }

  /** The program of another team. */
  async stranger(): Promise<string> {
    await this.order("/contest", { words: ["team", "add", "stranger", "Strangers"] });
    const { printed } = await this.order<{ printed: string }>("/contest", { words: ["token", "issue", "stranger"] });
    return /hrd_[\w-]{43}/.exec(printed)?.[0] ?? "";
  }

  async newest(): Promise<Line> {
    const { body } = await this.ask<{ submissions: Line[] }>("/v1/submissions");
    return body.submissions[0] as Line;
  }
}

/** The cabinet's submissions, opened by who brings them. */
export async function enter(page: Page): Promise<void> {
  await signIn(page, CAPTAIN, "participants");
  await page.goto("/cabinet/submissions");
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

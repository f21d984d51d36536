import { expect, test } from "./fixtures.ts";
import { raise } from "./start.ts";

export interface Told {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the platform answers
  body: any;
}

/** A cloud of one contest, for a group of tests alone. */
export class OwnCloud {
  readonly url: string;
  #token = "";

  constructor(
    readonly contest: string,
    readonly port: number,
    /** Prepare only the cycle and its people, or rounds for clinicians; if undefined, the contest is played. */
    readonly only?: "people" | "rounds",
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Start the cloud for the enclosing group of tests; `prepare` gets the cloud's description of itself. */
  // biome-ignore lint/suspicious/noExplicitAny: what it says depends on its contest
  raisedForGroup(prepare: (told: any) => unknown = () => undefined): this {
    let end = () => undefined as unknown;
    test.use({ baseURL: this.url });
    test.beforeAll(async () => {
      test.setTimeout(300_000);
      end = await raise(this.port, this.contest, this.only);
      const told = await this.order<{ token: string }>("/prepared");
      this.#token = told.token;
      await prepare(told);
    });
    test.afterAll(() => void end());
    return this;
  }

  /** Order an action that only tests may do. */
  async order<T>(path: string, said: object = {}): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.port + 1}${path}`, {
      method: "POST",
      body: JSON.stringify(said),
    });
    const told = (await answer.json()) as T;
    if (!answer.ok) throw new Error(JSON.stringify(told));
    return told;
  }

  /** Ask the interface as the team's program. */
  async ask<T>(path: string, token = this.#token): Promise<{ status: number; body: T }> {
    const answer = await fetch(this.url + path, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as T };
  }

  /** Return the interface's answer to the team's program. */
  async told<T>(path: string): Promise<T> {
    const { status, body } = await this.ask<T>(path);
    expect(status).toBe(200);
    return body;
  }

  /** Ask the interface as a person. */
  as(email: string, method: string, path: string, body?: object, headers: object = {}, pool = "staff"): Promise<Told> {
    return this.order("/ask", { email, method, path, body, headers, pool });
  }
}

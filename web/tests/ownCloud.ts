import { Cloud } from "./cloud.ts";
import { expect, test } from "./fixtures.ts";
import { raise } from "./start.ts";

/** A cloud of one contest, for a group of tests alone. */
export class OwnCloud extends Cloud {
  #token = "";

  constructor(
    readonly contestName: string,
    port: number,
    /** Prepare only the cycle and its people, or rounds for clinicians; if undefined, the contest is played. */
    readonly only?: "people" | "rounds",
  ) {
    super(port);
  }

  /** Start the cloud for the enclosing group of tests; `prepare` gets the cloud's description of itself. */
  // biome-ignore lint/suspicious/noExplicitAny: the description depends on the contest
  raisedForGroup(prepare: (description: any) => unknown = () => undefined): this {
    let end = () => undefined as unknown;
    test.use({ baseURL: this.url });
    test.beforeAll(async () => {
      test.setTimeout(300_000);
      end = await raise(this.port, this.contestName, this.only);
      const description = await this.order<{ token: string }>("/prepared");
      this.#token = description.token;
      await prepare(description);
    });
    test.afterAll(() => void end());
    return this;
  }

  /** Return the interface's answer to the team's program. */
  async read<T>(path: string): Promise<T> {
    const { status, body } = await this.asProgram<T>(this.#token, "GET", path);
    expect(status).toBe(200);
    return body;
  }
}

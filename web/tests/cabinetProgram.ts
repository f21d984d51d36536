import { asProgram, prepared } from "./cloud.ts";

interface File_ {
  number: number;
  content: { meta: { subject: string }; text: string };
}

/** A team's program as it speaks to the platform: one session, whose files the test takes and answers one by one. */
export class Program {
  readonly sessionId: string;
  readonly #token: string;

  private constructor(sessionId: string, token: string) {
    this.sessionId = sessionId;
    this.#token = token;
  }

  static async open(files: number): Promise<Program> {
    const { token } = await prepared();
    const opened = await ask(token, "POST", "/v1/sessions", { set: "train", files });
    return new Program(String(opened.session_id), token);
  }

  /** Join a planned run as the team of the token. */
  static async join(run: string, token: string, mode: "final" | "technical" = "final"): Promise<Program> {
    const opened = await ask(token, "POST", "/v1/sessions", { mode, run });
    return new Program(String(opened.session_id), token);
  }

  async take(number: number): Promise<File_> {
    return (await ask(this.#token, "GET", this.#path(number))) as unknown as File_;
  }

  /** Send an answer with these fragments; without a fragment it is valid, with the worst score. */
  async answer({ number, content }: File_, selections: object[] = []): Promise<void> {
    await ask(this.#token, "PUT", `${this.#path(number)}/answer`, { ...content, selections });
  }

  async abort(): Promise<void> {
    await ask(this.#token, "POST", `/v1/sessions/${this.sessionId}/abort`, {});
  }

  #path(number: number): string {
    return `/v1/sessions/${this.sessionId}/files/${number}`;
  }
}

async function ask(token: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await asProgram(token, method, path, body);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

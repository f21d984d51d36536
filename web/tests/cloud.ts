/** Port of the local cloud that the tests share. */
export const PORT = Number(process.env.HURDLE_WEB_PORT ?? "8760");

// biome-ignore lint/suspicious/noExplicitAny: tests read any part of an answer
type Json = any;

interface Answer<T = Json> {
  status: number;
  body: T;
}

/** A local cloud. Its desk, one port above, takes the orders that only tests may give. */
export class Cloud {
  readonly url: string;

  constructor(readonly port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Order an action at the desk. */
  async order<T>(path: string, body: object = {}): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.port + 1}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer as T;
  }

  /** Ask the interface as a person; a revision is sent as `If-Match`. */
  as<T = Json>(
    email: string,
    method: string,
    path: string,
    body?: object,
    revision?: number,
    pool: "staff" | "participants" = "staff",
  ): Promise<Answer<T>> {
    const headers = revision === undefined ? {} : { "If-Match": `"${revision}"` };
    return this.order("/ask", { email, method, path, body, headers, pool });
  }

  /** Ask the interface as an organizer who has signed in; throw if it refuses. */
  asOrganizer<T>(method: "GET" | "POST", path: string, body: object = {}): Promise<T> {
    return this.order("/organizer", { method, path, body });
  }

  /** Ask the interface as the program with this token. */
  async asProgram<T = Json>(token: string, method: string, path: string, body?: object): Promise<Answer<T>> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(this.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** Run `contest WORDS`, a command that bypasses the interface (team add, token issue); return its output. */
  async contest(...words: string[]): Promise<string> {
    return (await this.order<{ printed: string }>("/contest", { words })).printed;
  }
}

/** The cloud of the essays' contest, which the tests share. */
const shared = new Cloud(PORT);
export const CLOUD = shared.url;
export const order: Cloud["order"] = shared.order.bind(shared);
export const ask: Cloud["as"] = shared.as.bind(shared);
export const asOrganizer: Cloud["asOrganizer"] = shared.asOrganizer.bind(shared);
export const asProgram: Cloud["asProgram"] = shared.asProgram.bind(shared);
export const contest: Cloud["contest"] = shared.contest.bind(shared);

/** Ask the interface as a participant, to read what others see of an action in a page. */
export function asParticipant<T>(email: string, method: string, path: string, body?: object): Promise<Answer<T>> {
  return ask(email, method, path, body, undefined, "participants");
}

interface Prepared {
  /** Token of the team's program. */
  token: string;
  team: string;
  /** The e-mail of the team's captain, who signs in as a participant. */
  captain: string;
}

export function prepared(): Promise<Prepared> {
  return order("/prepared");
}

/** Return the session in which a program's team worked through a set. */
export async function sessionOf(token: string, set: string): Promise<string> {
  const { sessions } = (await asProgram(token, "GET", "/v1/sessions?limit=100")).body;
  // Runs of other tests may have used the set, too.
  return sessions.find((session: { set: string; run_id?: string | null }) => session.set === set && !session.run_id)
    .session_id;
}

/** Move the cloud's clock on; everything that falls due on the way is done. */
export function advance(seconds: number): Promise<unknown> {
  return order("/clock", { seconds });
}

/** Wait until queues and streams are empty. */
export function drain(): Promise<unknown> {
  return order("/drain");
}

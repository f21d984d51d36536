/** The shared local cloud, seen from the tests. */
const PORT = Number(process.env.HURDLE_WEB_PORT ?? "8760");
export const CLOUD = `http://127.0.0.1:${PORT}`;
const DESK = `http://127.0.0.1:${PORT + 1}`;

export { PORT };

export interface Prepared {
  /** A program's token of the team. */
  token: string;
  team: string;
  /** The e-mail of the team's captain, who signs in as a participant. */
  captain: string;
}

export async function order<T>(path: string, said: object = {}): Promise<T> {
  const answer = await fetch(DESK + path, { method: "POST", body: JSON.stringify(said) });
  const told: unknown = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(told));
  return told as T;
}

export function prepared(): Promise<Prepared> {
  return order("/prepared");
}

/** Return the session in which a program's team worked through a set. */
export async function sessionOf(token: string, set: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const { sessions } = await (await fetch(`${CLOUD}/v1/sessions?limit=100`, { headers })).json();
  // Runs of other tests may have used the set, too.
  return sessions.find((each: { set: string; run_id?: string | null }) => each.set === set && !each.run_id).session_id;
}

/** Run `contest WORDS`, a command that bypasses the interface (team add, token issue); return its output. */
export async function contest(...words: string[]): Promise<string> {
  return (await order<{ printed: string }>("/contest", { words })).printed;
}

/** Ask the interface as an organizer who has signed in. */
export function asOrganizer<T>(method: "GET" | "POST", path: string, body: object = {}): Promise<T> {
  return order("/organizer", { method, path, body });
}

/** Move the cloud's clock on; everything that falls due on the way is done. */
export function advance(seconds: number): Promise<unknown> {
  return order("/clock", { seconds });
}

/** Wait until queues and streams are empty. */
export function drain(): Promise<unknown> {
  return order("/drain");
}

export interface Answer<T> {
  status: number;
  body: T;
}

/** Ask the interface as a participant, to read what others see of an action in a page. */
export function asParticipant<T>(
  email: string,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<Answer<T>> {
  return order("/ask", { email, method, path, headers: {}, pool: "participants", ...(body ? { body } : {}) });
}

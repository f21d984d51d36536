import { expect, test } from "vitest";
import { patiently } from "./client";

function refused(code: string, headers: Record<string, string> = {}): Response {
  const error = { code, message: "Slowly.", message_ru: "Медленнее.", details: [], request_id: "r-1" };
  return new Response(JSON.stringify({ error }), {
    status: 429,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

async function asked(first: Response): Promise<{ answer: Response; waited: number[] }> {
  const waited: number[] = [];
  const again = () => Promise.resolve(new Response("{}", { status: 200 }));
  const answer = await patiently(first, again, (ms) => Promise.resolve(void waited.push(ms)));
  return { answer, waited };
}

test("who asked too fast asks once more, when the platform says", async () => {
  const { answer, waited } = await asked(refused("rate_limited", { "retry-after": "2" }));
  expect([answer.status, waited]).toEqual([200, [2_000]]);
});

test("without a time it is a second, and never none", async () => {
  expect((await asked(refused("rate_limited"))).waited).toEqual([1_000]);
  expect((await asked(refused("rate_limited", { "retry-after": "0" }))).waited).toEqual([1_000]);
});

test("another refusal and a good answer stay as they are", async () => {
  for (const first of [
    refused("quota_exhausted"),
    new Response("{}", { status: 200 }),
    new Response("", { status: 429 }),
  ]) {
    const { answer, waited } = await asked(first);
    expect([answer, waited]).toEqual([first, []]);
  }
});

import { ApiError } from "./problem";

/** A person may ask ten times a second: whoever is refused for that is refused before anything was done. */
const REFUSED = 429;
const SECOND = 1_000;

/** The answer to the same request, asked once more when its time has come, where it came too fast; else the answer. */
export async function patiently(
  response: Response,
  again: () => Promise<Response>,
  wait: (ms: number) => Promise<void> = slept,
): Promise<Response> {
  if (response.status !== REFUSED) return response;
  const refusal = new ApiError(
    response.status,
    await response
      .clone()
      .json()
      .catch(() => null),
    response.headers,
  );
  if (refusal.code !== "rate_limited") return response;
  await wait(SECOND * Math.max(1, Number(response.headers.get("retry-after")) || 0));
  return again();
}

function slept(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

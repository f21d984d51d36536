import { expect, it } from "vitest";
import { ApiError, unreachable } from "./problem";

const BODY = {
  error: { code: "rate_limited", message: "Slowly.", message_ru: "Медленнее.", details: [], request_id: "r-1" },
};

it("keeps what the platform says in both languages, and when to ask again", () => {
  const error = new ApiError(429, BODY, new Headers({ "retry-after": "2" }));
  expect(error).toMatchObject({ code: "rate_limited", texts: { en: "Slowly.", ru: "Медленнее." }, requestId: "r-1" });
  expect([error.retryAfterMs, error.passing]).toEqual([2000, true]);
});

it("makes something of a gateway's own answer", () => {
  const error = new ApiError(403, { message: "Forbidden" }, new Headers({ "apigw-requestid": "g-1" }));
  expect(error).toMatchObject({ code: "http_403", texts: null, requestId: "g-1", passing: false });
});

it("tells a missing network from a refusal", () => {
  expect(unreachable()).toMatchObject({ status: 0, passing: true });
});

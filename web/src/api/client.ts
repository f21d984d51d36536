import createClient, { type ClientPathsWithMethod, type MaybeOptionalInit, type MethodResponse } from "openapi-fetch";
import { accessToken } from "@/auth/session";
import { heard } from "./clock";
import { ApiError, unreachable } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/**
 * The platform's interface. A refusal is thrown as an ApiError, so `data` is there wherever the call returns.
 * The browser keeps entity tags and asks with them; what did not change comes from its own cache.
 */
export const api = createClient<paths>({ baseUrl: location.origin });

api.use({
  async onRequest({ request }) {
    const token = await accessToken();
    if (token) request.headers.set("authorization", `Bearer ${token}`);
    return request;
  },
  async onResponse({ response }) {
    // One object of JSON: a log in JSON lines is a text.
    const isJson = /^application\/([\w.-]+\+)?json\b/.test(response.headers.get("content-type") ?? "");
    if (!response.ok) throw new ApiError(response.status, isJson ? await response.json() : null, response.headers);
    const receivedMs = Date.now();
    const serverTime = isJson ? timeIn(await response.clone().json()) : null;
    if (serverTime) heard(serverTime, receivedMs);
    return response;
  },
  onError({ error }) {
    return error instanceof ApiError ? error : unreachable();
  },
});

export type GetPath = ClientPathsWithMethod<typeof api, "get">;
export type GetInit<P extends GetPath> = MaybeOptionalInit<paths[P], "get">;
export type GetAnswer<P extends GetPath> = MethodResponse<typeof api, "get", P>;

function timeIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("server_time" in body)) return null;
  return typeof body.server_time === "string" ? body.server_time : null;
}

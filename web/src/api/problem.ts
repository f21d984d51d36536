import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];
export type Detail = Problem["error"]["details"][number];

const UNKNOWN = 401;
const FORBIDDEN = 403;

/** Error of an API call: a refusal, or no response at all. */
export class ApiError extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly code: string;
  readonly texts: { en: string; ru: string } | null;
  readonly details: readonly Detail[];
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(status: number, body: unknown, headers: Headers) {
    const problem = isProblem(body) ? body : null;
    super(problem?.error.message ?? `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem?.error.code ?? `http_${status}`;
    this.texts = problem ? { en: problem.error.message, ru: problem.error.message_ru } : null;
    this.details = problem?.error.details ?? [];
    this.requestId = problem?.error.request_id ?? headers.get("apigw-requestid");
    this.retryAfterMs = retryAfter(headers.get("retry-after"));
  }

  /** True if a later retry may succeed: no response, 429 or a server error. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** True if the gateway itself refused the token: a 401 or 403 without the code that the platform's refusals have. */
  get ofTheGateway(): boolean {
    return this.texts === null && (this.status === UNKNOWN || this.status === FORBIDDEN);
  }

  /** Return the same refusal as a 401 of a sign-in that has ended. */
  asSignedOut(): ApiError {
    return new ApiError(UNKNOWN, null, new Headers(this.requestId ? { "apigw-requestid": this.requestId } : {}));
  }
}

/** Return the error of a request without a response: no network, or no server. */
export function unreachable(): ApiError {
  return new ApiError(0, null, new Headers());
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error && "message_ru" in error;
}

function retryAfter(header: string | null): number | null {
  const seconds = header === null ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

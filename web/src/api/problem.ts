import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];
export type Detail = Problem["error"]["details"][number];

const UNKNOWN = 401;
const FORBIDDEN = 403;

/** A refusal, or no answer at all, as the rest of the site sees it. */
export class ApiError extends Error {
  /** HTTP's status; 0 when nothing came back. */
  readonly status: number;
  readonly code: string;
  readonly said: { en: string; ru: string } | null;
  readonly details: readonly Detail[];
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(status: number, body: unknown, headers: Headers) {
    const problem = isProblem(body) ? body : null;
    super(problem?.error.message ?? `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem?.error.code ?? `http_${status}`;
    this.said = problem ? { en: problem.error.message, ru: problem.error.message_ru } : null;
    this.details = problem?.error.details ?? [];
    this.requestId = problem?.error.request_id ?? headers.get("apigw-requestid");
    this.retryAfterMs = retryAfter(headers.get("retry-after"));
  }

  /** Whether asking again in a while may help. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** Whether the gateway refused a token by itself: the platform says a code with every refusal. */
  get ofTheGateway(): boolean {
    return this.said === null && (this.status === UNKNOWN || this.status === FORBIDDEN);
  }

  /** The same refusal, known to be of a sign-in that has ended. */
  asSignedOut(): ApiError {
    return new ApiError(UNKNOWN, null, new Headers(this.requestId ? { "apigw-requestid": this.requestId } : {}));
  }
}

/** The request did not come through: no network, or nobody there. */
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

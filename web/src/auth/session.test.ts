import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Tokens } from "./oauth";

const renew = vi.hoisted(() => vi.fn<(server: unknown, refreshToken: string) => Promise<Tokens>>());

class Refused extends Error {}

vi.mock("./oauth", () => ({
  isRefusal: (error: unknown) => error instanceof Refused,
  lookUp: () => Promise.resolve({}),
  renew,
  revoke: () => Promise.resolve(null),
}));

const FRESH: Tokens = { accessToken: "new", refreshToken: "next", endsInMs: 900_000 };

let stored: Map<string, string>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  stored = new Map([["hurdle.refresh", JSON.stringify({ pool: "staff", refreshToken: "kept" })]]);
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
    key: (at: number) => [...stored.keys()][at] ?? null,
    get length() {
      return stored.size;
    },
  });
  vi.stubGlobal("navigator", {
    locks: { request: (_name: string, work: () => Promise<void>) => Promise.resolve().then(work) },
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  renew.mockReset();
});

describe("a sign-in that a reload brings back", () => {
  it("survives a network that is away, and goes on when it is back", async () => {
    renew.mockRejectedValueOnce(new TypeError("failed to fetch")).mockResolvedValueOnce(FRESH);
    const session = await import("./session");
    session.restore();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(session.currentSession()).toEqual({ state: "coming", away: true });
    expect(stored.size).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(session.currentSession()).toEqual({ state: "in", pool: "staff" });
    expect(await session.accessToken()).toBe("new");
    expect(renew.mock.calls.map(([, token]) => token)).toEqual(["kept", "kept"]);
    expect(stored.get("hurdle.refresh")).toContain("next");
  });

  it("ends when the issuer refuses it", async () => {
    renew.mockRejectedValueOnce(new Refused());
    const session = await import("./session");
    session.restore();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(session.currentSession()).toEqual({ state: "out" });
    expect(stored.size).toBe(0);
    expect(renew).toHaveBeenCalledTimes(1);
  });
});

describe("a sign-in whose token ends while somebody works", () => {
  it("stays signed in without a network and expires only when it is refused", async () => {
    const session = await import("./session");
    renew.mockRejectedValueOnce(new TypeError("failed to fetch")).mockRejectedValueOnce(new Refused());
    session.begin("participants", { ...FRESH, endsInMs: 120_000 });
    await vi.advanceTimersByTimeAsync(61_000);
    expect(session.currentSession()).toEqual({ state: "in", pool: "participants" });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(session.currentSession()).toEqual({ state: "expired", pool: "participants" });
  });
});

describe("a token that the platform's gateway refuses", () => {
  it("is renewed once; where the issuer refuses that, the sign-in has ended", async () => {
    const session = await import("./session");
    session.begin("staff", { ...FRESH, accessToken: "old" });
    renew.mockResolvedValueOnce(FRESH);
    expect(await session.renewedAfter("Bearer old")).toBe(true);
    expect(await session.renewedAfter("Bearer new")).toBe(false);
    expect(renew).toHaveBeenCalledTimes(1);
    session.begin("staff", { ...FRESH, accessToken: "older" });
    renew.mockRejectedValueOnce(new Refused());
    expect(await session.renewedAfter("Bearer older")).toBe(false);
    expect(session.currentSession()).toEqual({ state: "expired", pool: "staff" });
  });
});

describe("a sign-in that ends on purpose", () => {
  it("leaves nothing that was typed into forms of this tab", async () => {
    const session = await import("./session");
    stored.set("hurdle.draft.application", "{}");
    stored.set("other", "stays");
    session.begin("participants", FRESH);
    await session.end();
    expect([...stored.keys()]).toEqual(["other"]);
  });

  it("goes to another window only of the same person", async () => {
    const session = await import("./session");
    const of = (sub: string) => ({ ...FRESH, accessToken: `x.${btoa(JSON.stringify({ sub }))}.y` });
    session.begin("participants", of("anna"));
    expect([session.isSamePerson(of("anna")), session.isSamePerson(of("boris"))]).toEqual([true, false]);
    expect(session.giveAway()).toEqual({ pool: "participants", tokens: of("anna") });
    expect([...stored.keys()]).toEqual([]);
    expect(session.giveAway()).toBeNull();
  });
});

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import shared from "../../../tests/contradictions.json";
import { canonical, digest, hex, type Json, rootOf, sha256 } from "./canonical";
import {
  checkPromise,
  checkRun,
  contradictions,
  type Keys,
  misruled,
  type RecordAnswer,
  type Run,
  type Step,
  unsealed,
} from "./run";

const START = Date.parse("2027-04-01T09:00:00.000Z");
const INTERVAL = 60_000;
const MINUTE = 60_000;
const FILES = 5;
const PAUSED_BEFORE = 3;

const iso = (at: number) => new Date(at).toISOString();
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

interface World {
  run: Run;
  answer: RecordAnswer;
  keys: Keys;
}

/** A run of five files with a pause of two minutes before the third, signed by a key that is made here. */
async function world(alter: (record: RecordAnswer["record"]) => void = () => {}): Promise<World> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const keyId = hex(await sha256(raw)).slice(0, 16);
  const sign = async (statement: object) =>
    base64(await crypto.subtle.sign("Ed25519", pair.privateKey, canonical(statement as Json)));
  const rows = Array.from({ length: FILES }, (_, at) => ({
    number: at + 1,
    planned_at: iso(START + at * INTERVAL),
    file_id: `f${at}`,
    content_sha256: "0".repeat(64),
    salt: String(at).repeat(64),
  }));
  const common = { format: 2, run_id: "r".repeat(20), key_id: keyId };
  const content = {
    ...{ ...common, kind: "commitment", cycle: "demo", track: "essay", mode: "final", trial: false, restarts: null },
    ...{ files: FILES, starts_at: iso(START), interval_ms: INTERVAL, made_at: iso(START - 9 * MINUTE) },
    limits: { request_ms: 10_000, answer_ms: 50_000, total_ms: 60_000, join_ms: 120_000 },
    root: await rootOf(rows),
  };
  const commitment = { statement: content, signature: await sign(content) };
  const amend = async (number: number, amendment: string, at: number, previous: object, details: Json = {}) => {
    const reason = amendment === "sealed" ? "" : "Проверка 😀";
    const statement = {
      ...{ ...common, kind: "amendment", number, amendment, at: iso(at), effective_at: iso(at), reason },
      ...{ details, previous: await digest(previous as Json) },
    };
    return { amendment: statement, signature: await sign(statement) };
  };
  const from = START + (PAUSED_BEFORE - 1) * INTERVAL - 30_000;
  const pause = await amend(1, "pause", from, content);
  const resume = await amend(2, "resume", from + 2 * MINUTE, pause.amendment);
  const opened = { amendment: "rule", reason: "Наша вина", salt: "5".repeat(64) };
  const details = { team_id: "owls", number: 2, cause: "platform" };
  const ruling = { run_id: common.run_id, number: 3, ...opened, details };
  const sealed = await amend(3, "sealed", from + 3 * MINUTE, resume.amendment, { seal: await digest(ruling) });
  const opens = (number: number) => START + (number - 1) * INTERVAL + (number >= PAUSED_BEFORE ? 2 * MINUTE : 0);
  const letIn = {
    ...{ ...common, kind: "roster", sessions: 1, sessions_sha256: await digest([["owls", "1".repeat(15)]]) },
    ...{ made_at: iso(START + 4 * MINUTE), previous: await digest(content as unknown as Json) },
  };
  const roster = { statement: letIn, signature: await sign(letIn) };
  const session = { team_id: "owls", session_id: "1".repeat(15), opened_at: iso(START), closed_at: iso(START) };
  const record = {
    ...{
      format: 2,
      run: {},
      commitment,
      roster,
      amendments: [pause, resume, sealed],
      plans: [{ amendment: 0, rows }],
      voided: {},
    },
    releases: rows.map(({ number, planned_at }) => ({
      ...{ number, planned_at, opens_at: iso(opens(number)), armed_at: iso(START), armed_by: "timer" },
    })),
    rulings: [ruling],
    sessions: [{ ...session, files: rows.map(({ number }) => fileOf(number, opens(number) + 40)) }],
  };
  alter(record as unknown as RecordAnswer["record"]);
  const statement = {
    ...{
      ...common,
      kind: "record",
      made_at: iso(START + 60 * MINUTE),
      previous: await digest(sealed.amendment as Json),
    },
    record_sha256: await digest(record as unknown as Json),
  };
  const answer = { record, statement, signature: await sign(statement) };
  const evidence = {
    run: { commitment, roster, amendments: [pause, resume, sealed], rulings: [ruling] },
    answer,
    keys: [{ key_id: keyId, algorithm: "Ed25519" as const, public_key: base64(raw.buffer) }],
  };
  return evidence as unknown as World;
}

/** Return a file of the only team: answered, except the second, which was ruled to be the platform's fault. */
function fileOf(number: number, handedOut: number) {
  const times = { asked_at: iso(handedOut), handed_out_at: iso(handedOut), answer_by: iso(handedOut + 50_000) };
  const ruled = { state: "voided", cause: "platform", evidence: { amendment: 3, automatic: { cause: "team_late" } } };
  if (number === 2) return { number, ...times, answered_at: null, decided_at: null, ...ruled };
  const answered = iso(handedOut + 10_000);
  const answer = { answered_at: answered, headers_at: answered, body_at: answered, decided_at: answered };
  return { number, ...times, ...answer, state: "answered", cause: null, evidence: {} };
}

async function all(steps: AsyncGenerator<Step>): Promise<Step[]> {
  const faults: Step[] = [];
  for await (const step of steps) faults.push(step);
  return faults;
}

/** Return the first step that fails after a change of the test data. */
async function failing(honest: World, change: (world: World) => void): Promise<string | undefined> {
  const changed = JSON.parse(JSON.stringify(honest)) as World;
  change(changed);
  const steps = await all(checkRun(changed.run, changed.answer, changed.keys));
  return steps.find((step) => step.fault !== null)?.name;
}

describe("the check of a run", () => {
  let honest: World;
  beforeAll(async () => {
    honest = await world();
  });

  it("holds for an honest one, with a pause", async () => {
    const steps = await all(checkRun(honest.run, honest.answer, honest.keys));
    expect(steps.map((step) => step.fault)).toEqual(Array(11).fill(null));
  });

  it.each<[string, string, (record: RecordAnswer["record"]) => void]>([
    ["a team that is left out", "roster", (record) => record.sessions.pop()],
    [
      "a team that is added",
      "roster",
      (record) => record.sessions.push({ ...record.sessions[0], team_id: "x" } as never),
    ],
    [
      "a roster of another run",
      "roster",
      (record) => Object.assign(record.roster.statement, { run_id: "s".repeat(20) }),
    ],
    [
      "an answer from before its file",
      "times",
      (record) => Object.assign(record.sessions[0]?.files[0] ?? {}, { answered_at: iso(START) }),
    ],
  ])("finds %s, though the record is signed anew", async (_, step, alter) => {
    const lie = await world(alter);
    const steps = await all(checkRun(lie.run, lie.answer, lie.keys));
    expect(steps.find(({ fault }) => fault !== null)?.name).toBe(step);
  });

  it("holds for what is promised before the run ends", async () => {
    expect(await all(checkPromise(honest.run, honest.keys))).toEqual([
      { name: "signatures", count: 4, fault: null },
      { name: "chain", count: 4, fault: null },
    ]);
  });

  it.each<[string, string, (world: World) => void]>([
    ["a form of tomorrow", "form", ({ answer }) => Object.assign(answer.record, { format: 3 })],
    ["another commitment", "promises", ({ run }) => Object.assign(run.commitment.statement, { files: 4 })],
    ["a decision left out", "chain", ({ answer }) => answer.record.amendments.pop()],
    [
      "a changed reason on both sides",
      "signatures",
      ({ run, answer }) => {
        for (const amendment of [run.amendments[0], answer.record.amendments[0]]) {
          if (amendment) amendment.amendment.reason = "another";
        }
      },
    ],
    ["a key that nobody knows", "signatures", (all) => all.keys.pop()],
    [
      "a key under another's name",
      "signatures",
      ({ keys }) => Object.assign(keys[0] ?? {}, { public_key: btoa("x".repeat(32)) }),
    ],
    [
      "a swapped file",
      "record",
      ({ answer }) => Object.assign(answer.record.plans[0]?.rows[1] ?? {}, { file_id: "x" }),
    ],
    [
      "a moved opening",
      "record",
      ({ answer }) => Object.assign(answer.record.releases[4] ?? {}, { opens_at: iso(START) }),
    ],
    ["another roster than is shown", "roster", ({ run }) => Object.assign(run, { roster: null })],
  ])("finds %s", async (_, step, change) => {
    expect(await failing(honest, change)).toBe(step);
  });
});

describe("the rulings of a run", () => {
  const seal = async (ruling: object, number = 3) =>
    ({ number, amendment: "sealed", run_id: "r", details: { seal: await digest(ruling as Json) } }) as never;
  const rule = (more: object = {}, details: object = {}) => {
    const claim = { team_id: "owls", number: 2, cause: "platform", ...details };
    return { run_id: "r", number: 3, amendment: "rule", reason: "", details: claim, salt: "5", ...more } as never;
  };

  it("are those that were sealed", async () => {
    expect(await unsealed([await seal(rule())], [rule()])).toEqual([]);
  });

  it("are named where another content was sealed, none was, or nothing opens one", async () => {
    expect(await unsealed([await seal(rule())], [rule({}, { cause: "network" })])).toEqual(["ruling 3"]);
    expect(await unsealed([await seal(rule())], [rule({ run_id: "another" })])).toEqual(["ruling 3"]);
    expect(await unsealed([], [rule()])).toEqual(["ruling 3: no seal"]);
    expect(await unsealed([await seal(rule())], [rule(), rule()])).toEqual(["ruling 3: no seal"]);
    expect(await unsealed([await seal(rule())], [])).toEqual(["seal 3"]);
  });

  it("hide nothing that everybody was to be told of", async () => {
    const hidden = {
      run_id: "r",
      number: 3,
      amendment: "undo",
      reason: "",
      details: { amendment: 1 },
      salt: "5",
    } as never;
    expect(await unsealed([await seal(hidden)], [hidden])).toEqual(["ruling 3"]);
    expect(await unsealed([await seal(hidden)], [hidden], [rule({ number: 1 })])).toEqual([]);
  });

  it("are what the record's rows go by", () => {
    const record = (file: object, rulings: object[] = [rule()]) =>
      ({ rulings, sessions: [{ team_id: "owls", files: [{ number: 2, state: "voided", ...file }] }] }) as never;
    const good = { cause: "platform", evidence: { amendment: 3, automatic: {} } };
    const back = { ...(rule() as object), number: 4, amendment: "undo", details: { amendment: 3 } };
    const faults = ["owls: file 2"];
    expect(misruled(record(good))).toEqual([]);
    expect(misruled(record({ ...good, cause: "network" }))).toEqual(faults);
    expect(misruled(record({ ...good, evidence: { amendment: 2 } }))).toEqual(faults);
    expect(misruled(record(good, []))).toEqual(faults);
    expect(misruled(record(good, [rule(), back]))).toEqual(faults);
    expect(misruled(record({ cause: "team_late", evidence: {} }, [rule(), back]))).toEqual([]);
    expect(misruled(record({ state: "answered", cause: null }))).toEqual([]);
  });
});

describe("the tree", () => {
  it("is that of RFC 6962: an odd last one is carried up", async () => {
    const leaf = async (row: Json) => sha256(new Uint8Array([0, ...canonical(row)]));
    const [a, b, c] = await Promise.all(["a", "b", "c"].map(leaf));
    const ab = await sha256(new Uint8Array([1, ...(a ?? []), ...(b ?? [])]));
    expect(await rootOf(["a", "b", "c"])).toBe(hex(await sha256(new Uint8Array([1, ...ab, ...(c ?? [])]))));
    expect(await rootOf([])).toBeNull();
  });

  it("changes with any row, its order included", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 9 }), fc.nat(), async (rows, at) => {
        const index = at % rows.length;
        const changed = rows.map((row, place) => (place === index ? `${row}!` : row));
        const root = await rootOf(rows);
        expect(await rootOf(changed)).not.toBe(root);
        expect(await rootOf([...rows].reverse())).not.toBe(root);
      }),
      { numRuns: 50 },
    );
  });
});

describe("canonical JSON", () => {
  it("sorts names by code points, writes no blanks and keeps letters", () => {
    const text = new TextDecoder().decode(canonical({ б: 1, a: [true, null, "\n😀"], "😀": 2, "￿": 3 }));
    expect(text).toBe('{"a":[true,null,"\\n😀"],"б":1,"￿":3,"😀":2}');
  });

  it("reads back as what it was", () => {
    const { value: values } = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.integer(),
        fc.string(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(new TextDecoder().decode(canonical(value as Json)))).toEqual(value);
      }),
    );
  });

  it("refuses what has no whole number's bytes", () => {
    expect(() => canonical(0.5)).toThrow("whole");
  });
});

/** The record of the shared cases with what a case puts into it: paths of names and places, with dots between. */
function altered(changes: readonly unknown[][]): Parameters<typeof contradictions>[0] {
  const record = structuredClone(shared.record) as never;
  for (const [path, value] of changes) {
    const steps = String(path).split(".");
    const last = steps.pop() ?? "";
    const place = steps.reduce<{ [name: string]: never }>((inner, step) => inner[step] ?? {}, record);
    Object.assign(place, { [last]: value });
  }
  return record;
}

it.each(shared.cases)("a row is found where $name: $fault", ({ set, fault }) => {
  expect(contradictions(altered(set)).length > 0).toBe(fault);
});

import type { Schemas } from "@/api/client";
import { canonical, digest, fromBase64, hex, type Json, sha256 } from "./canonical";
import { contradictions } from "./rows";
import { misruled, unsealed } from "./rulings";
import { dueOpenings, planned } from "./schedule";
import { rootOf } from "./tree";

export type Run = Schemas["RunBody"];
export type RecordAnswer = Schemas["RecordBody"];
export type Keys = Schemas["KeysBody"]["keys"];

/** What is checked of a run, in this order; the document "How to check that a run was fair" says each in full. */
export const STEPS = [
  "form",
  "promises",
  "signatures",
  "chain",
  "record",
  "roster",
  "rulings",
  "files",
  "schedule",
  "openings",
  "times",
] as const;
export type StepName = (typeof STEPS)[number];

export interface Step {
  name: StepName;
  /** How much was looked at. */
  count: number;
  /** What does not fit: the statement, file or team; null where everything does. */
  fault: string | null;
}

interface Signed {
  statement: { [name: string]: Json };
  signature: string;
}

const FORMAT = 2;

/** Check a finished run. Stops at the first step that fails, for the later ones would believe what it refuted. */
export async function* checkRun(run: Run, answer: RecordAnswer, keys: Keys): AsyncGenerator<Step> {
  const { record, statement } = answer;
  const chain = chainOf(answer);
  const rows = record.plans.flatMap((plan) => plan.rows);
  const checks: Record<StepName, () => Promise<Omit<Step, "name">>> = {
    form: async () =>
      one(
        [record.format, statement.format].every((each) => each === FORMAT),
        "format",
      ),
    promises: async () => first([...promises(run, record)], 1 + record.amendments.length),
    signatures: async () => first(await unsigned(chain, keys), chain.length),
    chain: async () => first(await broken(chain), chain.length),
    record: async () => one((await digest(asJson(record))) === statement.record_sha256, "record_sha256"),
    roster: async () => first(await letInOtherwise(run, record, keys), record.sessions.length),
    rulings: async () => first([...(await sealedOtherwise(run, record)), ...misruled(record)], run.rulings.length),
    files: async () => first(await swapped(record), rows.length),
    schedule: async () => first(misplaced(record), rows.length),
    openings: async () => first(moved(record), record.releases.length),
    times: async () => first([...early(record), ...contradictions(record)], record.sessions.length),
  };
  for (const name of STEPS) {
    const step = { name, ...(await checks[name]()) };
    yield step;
    if (step.fault !== null) return;
  }
}

/** Before a run ends: its commitment and decisions are signed and follow one another. */
export async function* checkPromise(run: Run, keys: Keys): AsyncGenerator<Step> {
  const chain = promisesOf(run.commitment, run.amendments);
  for (const [name, faults] of [
    ["signatures", await unsigned(chain, keys)],
    ["chain", await broken(chain)],
  ] as const) {
    const step = { name, ...first(faults, chain.length) };
    yield step;
    if (step.fault !== null) return;
  }
}

function one(holds: boolean, fault: string): Omit<Step, "name"> {
  return first(holds ? [] : [fault], 1);
}

function first(faults: readonly string[], count: number): Omit<Step, "name"> {
  return { count, fault: faults[0] ?? null };
}

/** Rulings that the record opens, and those from after it, which the run does. */
async function sealedOtherwise(run: Run, record: RecordAnswer["record"]): Promise<string[]> {
  const statements = run.amendments.map((each) => each.amendment);
  const known = record.amendments.length;
  const later = run.rulings.slice(record.rulings.length);
  return [
    ...(await unsealed(statements.slice(0, known), record.rulings)),
    ...(await unsealed(statements.slice(known), later, record.rulings)),
  ];
}

/** What is wrong with the roster, and whether the sessions that were opened in time are those that it seals. */
async function letInOtherwise(run: Run, record: RecordAnswer["record"], keys: Keys): Promise<string[]> {
  const { statement, signature } = record.roster;
  const { statement: commitment } = record.commitment;
  const faults = await unsigned([{ statement: asJson(statement), signature }], keys);
  const follows = statement.previous === (await digest(asJson(commitment)));
  if (statement.kind !== "roster" || statement.run_id !== commitment.run_id || !follows) faults.push("roster");
  if (!run.roster || !same(run.roster, record.roster)) faults.push("roster");
  const last = joiningEnds(record);
  const joined = record.sessions.filter((session) => Date.parse(session.opened_at) <= last);
  const pairs = joined.map((session) => [session.team_id, session.session_id]).sort(byTeam);
  if (pairs.length !== statement.sessions || (await digest(pairs)) !== statement.sessions_sha256) {
    faults.push(`sessions: ${pairs.length} ≠ ${statement.sessions}`);
  }
  return faults;
}

/** Names of teams and sessions are ASCII, whose order is the same for everybody. */
function byTeam(one: readonly string[], other: readonly string[]): number {
  return String(one) < String(other) ? -1 : 1;
}

/** The last moment in which a session might be opened without a decision. */
function joiningEnds(record: RecordAnswer["record"]): number {
  const due = dueOpenings(record);
  const { limits } = record.commitment.statement;
  return Math.min((due.get(1) ?? 0) + limits.join_ms, Math.max(...due.values()) + limits.total_ms);
}

function chainOf(answer: RecordAnswer): Signed[] {
  const { record, statement, signature } = answer;
  return [...promisesOf(record.commitment, record.amendments), { statement: asJson(statement), signature }];
}

function promisesOf(commitment: Run["commitment"], amendments: Run["amendments"]): Signed[] {
  return [
    { statement: asJson(commitment.statement), signature: commitment.signature },
    ...amendments.map((each) => ({ statement: asJson(each.amendment), signature: each.signature })),
  ];
}

/** Statements and records are JSON by their origin; their types do not say so. */
function asJson(value: object): { [name: string]: Json } {
  return value as { [name: string]: Json };
}

function* promises(run: Run, record: RecordAnswer["record"]): Generator<string> {
  if (!same(run.commitment, record.commitment)) yield "commitment";
  const shown = run.amendments.slice(0, record.amendments.length);
  if (!same(shown, record.amendments)) yield "amendments";
}

function same(a: object, b: object): boolean {
  return hex(canonical(asJson(a))) === hex(canonical(asJson(b)));
}

async function unsigned(chain: readonly Signed[], keys: Keys): Promise<string[]> {
  const held = await Promise.all(chain.map((each) => isSigned(each, keys)));
  return chain.filter((_, at) => !held[at]).map(nameOf);
}

async function isSigned({ statement, signature }: Signed, keys: Keys): Promise<boolean> {
  const told = keys.find((key) => key.key_id === statement.key_id);
  if (!told) return false;
  const bytes = fromBase64(told.public_key);
  if (!hex(await sha256(bytes)).startsWith(told.key_id)) return false;
  const key = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, fromBase64(signature), canonical(statement));
}

async function broken(chain: readonly Signed[]): Promise<string[]> {
  const hashes = await Promise.all(chain.map((each) => digest(each.statement)));
  const run = chain[0]?.statement.run_id;
  return chain
    .filter((each, at) => at > 0 && (each.statement.previous !== hashes[at - 1] || each.statement.run_id !== run))
    .map(nameOf);
}

function nameOf({ statement }: Signed): string {
  return statement.kind === "amendment" ? `${statement.amendment} ${statement.number}` : String(statement.kind);
}

async function swapped(record: RecordAnswer["record"]): Promise<string[]> {
  const roots = await Promise.all(
    planned(record).map(async (plan) => ({ plan, root: await rootOf(plan.rows.map((row) => asJson(row))) })),
  );
  return roots
    .filter(({ plan, root }) => !plan.unseen && root !== plan.root)
    .map(({ plan }) => `plan ${plan.amendment}`);
}

function misplaced(record: RecordAnswer["record"]): string[] {
  return planned(record)
    .flatMap((plan) =>
      plan.rows.map((row, at) => ({ row, number: plan.first + at, at: plan.startsMs + at * plan.stepMs })),
    )
    .filter(({ row, number, at }) => row.number !== number || Date.parse(row.planned_at) !== at)
    .map(({ row }) => `file ${row.number}`);
}

function moved(record: RecordAnswer["record"]): string[] {
  const due = dueOpenings(record);
  return record.releases
    .filter((release) => Date.parse(release.opens_at) !== due.get(release.number))
    .map((release) => `file ${release.number}`);
}

function early(record: RecordAnswer["record"]): string[] {
  const due = dueOpenings(record);
  return record.sessions.flatMap((session) =>
    session.files
      .filter((file) => file.handed_out_at && Date.parse(file.handed_out_at) < (due.get(file.number) ?? Infinity))
      .map((file) => `${session.team_id}: file ${file.number}`),
  );
}

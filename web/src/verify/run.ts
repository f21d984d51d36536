import type { Schemas } from "@/api/client";
import { canonical, digest, fromBase64, hex, type Json, rootOf, sha256 } from "./canonical";
import { isSignedBy } from "./signature";

export type Run = Schemas["RunBody"];
export type RecordAnswer = Schemas["RecordBody"];
export type Keys = Schemas["KeysBody"]["keys"];

/** Checks of a run, in this order; the document "How to check that a run was fair" describes each in full. */
const STEPS = [
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
  /** Number of items that the step checked. */
  count: number;
  /** First fault: the statement, file or team; null if everything fits. */
  fault: string | null;
}

interface Signed {
  statement: { [name: string]: Json };
  signature: string;
}

const FORMAT = 2;

/** Check a finished run. Stop at the first step that fails: later steps rely on what it checks. */
export async function* checkRun(run: Run, answer: RecordAnswer, keys: Keys): AsyncGenerator<Step> {
  const { record, statement } = answer;
  const chain = chainOf(answer);
  const rows = record.plans.flatMap((plan) => plan.rows);
  const checks: Record<StepName, () => Promise<Omit<Step, "name">>> = {
    form: async () =>
      one(
        [record.format, statement.format].every((number) => number === FORMAT),
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

/** Check a run before its end: its commitment and decisions are signed and follow one another. */
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

/** List the faults of rulings that the record opens, and of later ones, which the run opens. */
async function sealedOtherwise(run: Run, record: RecordAnswer["record"]): Promise<string[]> {
  const statements = run.amendments.map((amendment) => amendment.amendment);
  const count = record.amendments.length;
  const later = run.rulings.slice(record.rulings.length);
  return [
    ...(await unsealed(statements.slice(0, count), record.rulings)),
    ...(await unsealed(statements.slice(count), later, record.rulings)),
  ];
}

/** List the faults of the roster; one of them: the sessions opened in time differ from those that it seals. */
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

/** Return the last moment, in milliseconds, at which a session could be opened without a decision. */
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
    ...amendments.map((amendment) => ({ statement: asJson(amendment.amendment), signature: amendment.signature })),
  ];
}

/** Return a statement or record as JSON, which it is by its origin though its type does not say so. */
function asJson(value: object): { [name: string]: Json } {
  return value as { [name: string]: Json };
}

function* promises(run: Run, record: RecordAnswer["record"]): Generator<string> {
  if (!same(run.commitment, record.commitment)) yield "commitment";
  const published = run.amendments.slice(0, record.amendments.length);
  if (!same(published, record.amendments)) yield "amendments";
}

function same(a: object, b: object): boolean {
  return hex(canonical(asJson(a))) === hex(canonical(asJson(b)));
}

async function unsigned(chain: readonly Signed[], keys: Keys): Promise<string[]> {
  const signed = await Promise.all(chain.map((statement) => isSigned(statement, keys)));
  return chain.filter((_, at) => !signed[at]).map(nameOf);
}

async function isSigned({ statement, signature }: Signed, keys: Keys): Promise<boolean> {
  const signer = keys.find((key) => key.key_id === statement.key_id);
  if (!signer) return false;
  const bytes = fromBase64(signer.public_key);
  if (!hex(await sha256(bytes)).startsWith(signer.key_id)) return false;
  return isSignedBy(signer.algorithm, bytes, fromBase64(signature), canonical(statement));
}

async function broken(chain: readonly Signed[]): Promise<string[]> {
  const hashes = await Promise.all(chain.map((statement) => digest(statement.statement)));
  const run = chain[0]?.statement.run_id;
  return chain
    .filter(
      (statement, at) =>
        at > 0 && (statement.statement.previous !== hashes[at - 1] || statement.statement.run_id !== run),
    )
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

type Record_ = Schemas["Record"];
type Session = Schemas["RecordSession"];
type File = Schemas["RecordFile"];
type Release = Schemas["RecordRelease"];

/** Longest time, in milliseconds, from a request to the opening, and from a file's hand-out to its written release. */
const HELD_MS = 2000;
/** Time after which the gateway gives up a request, in milliseconds. */
const REQUEST_MS = 30_000;
/** Longest time, in ms, from the session's end to the decision on an answer that is sent again after a failure. */
const CLOSING_MS = 120_000;

/** List rows whose times contradict each other (docs/fairness.md); `pku verify-run` finds the same, by the same cases. */
export function contradictions(record: Record_): string[] {
  const releases = new Map(record.releases.map((release) => [release.number, release]));
  const inTurns = record.commitment.statement.track === "diagnosis";
  return record.sessions.flatMap((session) =>
    session.files
      .filter(
        (file) =>
          isAnsweredWrongly(file) ||
          isDecidedWrongly(session, file, inTurns) ||
          isArmedLate(file, releases.get(file.number)) ||
          hasWrongEvidence(session, file),
      )
      .map((file) => `${session.team_id}: file ${file.number}`),
  );
}

/** True if an answer's time is before its file's hand-out or after its deadline, or if a time is missing. */
function isAnsweredWrongly(file: File): boolean {
  const [handed, answered, decided, due] = [file.handed_out_at, file.answered_at, file.decided_at, file.answer_by].map(
    at,
  );
  if (answered === undefined || decided === undefined) return answered !== decided;
  return handed === undefined || due === undefined || answered < handed || answered > due || decided < answered;
}

/** True if headers, body and decision of an answer are out of order, or the decision came long after the answer. */
function isDecidedWrongly(session: Session, file: File, inTurns: boolean): boolean {
  const [headers, body, decided, closed] = [file.headers_at, file.body_at, file.decided_at, session.closed_at].map(at);
  const times = [headers, body, decided].filter((moment) => moment !== undefined);
  if (times.some((moment, place) => moment < (times[place - 1] ?? moment))) return true;
  if (!file.answered_at && times.length > 0 && !inTurns) return true;
  const latest = body === undefined || inTurns ? (closed ?? 0) + CLOSING_MS : body + REQUEST_MS;
  return decided !== undefined && decided > latest;
}

/** True if a file was handed out before its release was written, or if nobody is named as its writer. */
function isArmedLate(file: File, release: Release | undefined): boolean {
  const [handed, armed] = [at(file.handed_out_at), at(release?.armed_at)];
  if (!release || handed === undefined) return false;
  return armed === undefined || armed > handed + HELD_MS || !release.armed_by;
}

/** True if the evidence of a cause contradicts its row. */
function hasWrongEvidence(session: Session, file: File): boolean {
  const evidence = evidenceOf(file);
  const [handed, arrived, gone] = [
    at(file.handed_out_at),
    moment(evidence.arrived_at),
    moment(evidence.disconnected_at),
  ];
  if (arrived !== undefined && handed !== undefined && arrived < handed) return true;
  if (gone !== undefined && gone < Date.parse(session.opened_at)) return true;
  return "pushed" in evidence && file.asked_at !== null;
}

/** Return the evidence that the platform found automatically, even if the commission has ruled. */
function evidenceOf(file: File): { [name: string]: unknown } {
  const evidence = file.evidence ?? {};
  const automatic = evidence.automatic as { evidence?: { [name: string]: unknown } } | undefined;
  return automatic?.evidence ?? evidence;
}

function at(text: string | null | undefined): number | undefined {
  return text ? Date.parse(text) : undefined;
}

function moment(value: unknown): number | undefined {
  return typeof value === "string" ? Date.parse(value) : undefined;
}

type Ruling = Schemas["OpenedRuling"];
type Amendment = Schemas["AmendmentStatement"];

/** List rulings that do not match the seals: a wrong one, a missing one, one too many; each by its number. */
export async function unsealed(
  amendments: readonly Amendment[],
  rulings: readonly Ruling[],
  before: readonly Ruling[] = [],
): Promise<string[]> {
  const seals = new Map(
    amendments.flatMap((amendment) =>
      "seal" in amendment.details ? [[amendment.number, { ...amendment, seal: amendment.details.seal }]] : [],
    ),
  );
  const ruled = new Set([...before, ...rulings].filter(isRule).map(({ number }) => number));
  const faults: string[] = [];
  for (const ruling of rulings) {
    const sealed = seals.get(ruling.number);
    seals.delete(ruling.number);
    const hash = await digest(ruling as unknown as Json);
    const fits = sealed && sealed.seal === hash && sealed.run_id === ruling.run_id;
    const takesBack = "amendment" in ruling.details && ruled.has(ruling.details.amendment);
    if (!sealed) faults.push(`ruling ${ruling.number}: no seal`);
    else if (!fits || !(isRule(ruling) || takesBack)) faults.push(`ruling ${ruling.number}`);
  }
  return [...faults, ...[...seals.keys()].map((number) => `seal ${number}`)];
}

/** List the files whose cause differs from the ruled one, or comes from a ruling that nobody made. */
export function misruled(record: Record_): string[] {
  const undone = new Set(record.rulings.flatMap(({ details }) => ("amendment" in details ? [details.amendment] : [])));
  const ruled = new Map<string, { cause: string; amendment: number }>();
  for (const { number, details } of record.rulings) {
    if ("cause" in details && !undone.has(number)) {
      ruled.set(placeOf(details.team_id, details.number), { cause: details.cause, amendment: number });
    }
  }
  return record.sessions.flatMap((session) =>
    session.files
      .filter((file) => file.state === "voided")
      .filter((file) => {
        const due = ruled.get(placeOf(session.team_id, file.number));
        const evidence = file.evidence ?? {};
        return due ? file.cause !== due.cause || evidence.amendment !== due.amendment : "automatic" in evidence;
      })
      .map((file) => placeOf(session.team_id, file.number)),
  );
}

function isRule(run: Ruling): boolean {
  return run.amendment === "rule";
}

function placeOf(team: string, number: number): string {
  return `${team}: file ${number}`;
}

/** Longest sum of a run's pauses, in ms; a pause that nobody ends stops then (docs/fairness.md, "Openings"). */
const ALL_PAUSES_MS = 7_200_000;

interface Plan {
  amendment: number;
  root: string;
  rows: Schemas["RecordRow"][];
  first: number;
  startsMs: number;
  stepMs: number;
  /** True for files that a decision appended and another withdrew before anybody saw them. */
  unseen: boolean;
}

/** Return the first plan and one for every replacement, with the commitment to each. */
function planned(record: Record_): Plan[] {
  const committed = record.commitment.statement;
  const decisions = decisionsOf(record);
  const undone = undoneBy(decisions);
  const place = (amendment: number, root: string, first: number, slot: number): Plan => {
    const rows = record.plans.find((plan) => plan.amendment === amendment)?.rows;
    return {
      amendment,
      root,
      rows: rows ?? [],
      first,
      startsMs: Date.parse(committed.starts_at) + slot * committed.interval_ms,
      stepMs: committed.interval_ms,
      unseen: rows === undefined && undone.has(amendment),
    };
  };
  const replaced = decisions.flatMap((decision) =>
    decision.amendment === "replace" && "root" in decision.details
      ? [place(decision.number, decision.details.root, decision.details.first, decision.details.slot)]
      : [],
  );
  return [place(0, committed.root, 1, 0), ...replaced];
}

/** Return the due opening, in milliseconds, of every file of the record, by the commitment and the decisions. */
function dueOpenings(record: Record_): Map<number, number> {
  const pauses = pausesOf(decisionsOf(record));
  const slots = planned(record).flatMap((plan) =>
    plan.rows.map((_, at): [number, number] => [plan.first + at, plan.startsMs + at * plan.stepMs]),
  );
  return new Map(slots.map(([number, at]) => [number, shifted(at, pauses)]));
}

interface Pause {
  from: number;
  until: number;
}

function shifted(at: number, pauses: readonly Pause[]): number {
  return pauses.reduce((opening, { from, until }) => (opening >= from ? opening + until - from : opening), at);
}

function pausesOf(decisions: readonly Amendment[]): Pause[] {
  const undone = undoneBy(decisions);
  const pauses: Pause[] = [];
  for (const decision of decisions.filter((one) => !undone.has(one.number)).sort(byEffect)) {
    const at = Date.parse(decision.effective_at);
    const last = pauses[pauses.length - 1];
    if (decision.amendment === "pause" && (!last || at >= last.until)) {
      const spent = pauses.reduce((sum, { from, until }) => sum + until - from, 0);
      pauses.push({ from: at, until: at + ALL_PAUSES_MS - spent });
    } else if (decision.amendment === "resume" && last && at < last.until) {
      last.until = at;
    }
  }
  return pauses;
}

function byEffect(a: Amendment, b: Amendment): number {
  return Date.parse(a.effective_at) - Date.parse(b.effective_at) || a.number - b.number;
}

function decisionsOf(record: Record_): Amendment[] {
  return record.amendments.map((amendment) => amendment.amendment);
}

function undoneBy(decisions: readonly Amendment[]): Set<number> {
  return new Set(
    decisions.flatMap((decision) =>
      decision.amendment === "undo" && "amendment" in decision.details ? [decision.details.amendment] : [],
    ),
  );
}

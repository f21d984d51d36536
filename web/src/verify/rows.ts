import type { Schemas } from "@/api/client";

type Record_ = Schemas["Record"];
type Session = Schemas["RecordSession"];
type File = Schemas["RecordFile"];
type Release = Schemas["RecordRelease"];

/** A request may come so shortly before the opening, and a file may be handed out so long before its release is written. */
const HELD_MS = 2000;
/** The gateway gives a request up after this time. */
const REQUEST_MS = 30_000;
/** An answer that is sent again after a failure is decided on within this time after the session's end. */
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

/** Whether an answer has a time from before its file was handed out or from after its deadline, or lacks one. */
function isAnsweredWrongly(file: File): boolean {
  const [handed, answered, decided, due] = [file.handed_out_at, file.answered_at, file.decided_at, file.answer_by].map(
    at,
  );
  if (answered === undefined || decided === undefined) return answered !== decided;
  return handed === undefined || due === undefined || answered < handed || answered > due || decided < answered;
}

/** Whether headers, body and decision of an answer are out of order, or the decision came long after the answer. */
function isDecidedWrongly(session: Session, file: File, inTurns: boolean): boolean {
  const [headers, body, decided, closed] = [file.headers_at, file.body_at, file.decided_at, session.closed_at].map(at);
  const times = [headers, body, decided].filter((moment) => moment !== undefined);
  if (times.some((moment, place) => moment < (times[place - 1] ?? moment))) return true;
  if (!file.answered_at && times.length > 0 && !inTurns) return true;
  const latest = body === undefined || inTurns ? (closed ?? 0) + CLOSING_MS : body + REQUEST_MS;
  return decided !== undefined && decided > latest;
}

/** Whether a file was handed out before somebody wrote its release. */
function isArmedLate(file: File, release: Release | undefined): boolean {
  const [handed, armed] = [at(file.handed_out_at), at(release?.armed_at)];
  if (!release || handed === undefined) return false;
  return armed === undefined || armed > handed + HELD_MS || !release.armed_by;
}

/** Whether the evidence of a cause contradicts the row that it stands in. */
function hasWrongEvidence(session: Session, file: File): boolean {
  const told = evidenceOf(file);
  const [handed, arrived, gone] = [at(file.handed_out_at), moment(told.arrived_at), moment(told.disconnected_at)];
  if (arrived !== undefined && handed !== undefined && arrived < handed) return true;
  if (gone !== undefined && gone < Date.parse(session.opened_at)) return true;
  return "pushed" in told && file.asked_at !== null;
}

/** The evidence that the platform had found by itself, also where the commission has ruled. */
function evidenceOf(file: File): { [name: string]: unknown } {
  const told = file.evidence ?? {};
  const automatic = told.automatic as { evidence?: { [name: string]: unknown } } | undefined;
  return automatic?.evidence ?? told;
}

function at(text: string | null | undefined): number | undefined {
  return text ? Date.parse(text) : undefined;
}

function moment(value: unknown): number | undefined {
  return typeof value === "string" ? Date.parse(value) : undefined;
}

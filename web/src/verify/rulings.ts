import type { Schemas } from "@/api/client";
import { digest, type Json } from "./canonical";

type Ruling = Schemas["OpenedRuling"];
type Amendment = Schemas["AmendmentStatement"];
type Record_ = Schemas["Record"];

/** What opens the seals against the seals: one that does not fit, one that is missing, one too many; each by its number. */
export async function unsealed(
  amendments: readonly Amendment[],
  rulings: readonly Ruling[],
  before: readonly Ruling[] = [],
): Promise<string[]> {
  const seals = new Map(
    amendments.flatMap((each) => ("seal" in each.details ? [[each.number, { ...each, seal: each.details.seal }]] : [])),
  );
  const ruled = new Set([...before, ...rulings].filter(isRule).map(({ number }) => number));
  const faults: string[] = [];
  for (const each of rulings) {
    const sealed = seals.get(each.number);
    seals.delete(each.number);
    const hash = await digest(each as unknown as Json);
    const fits = sealed && sealed.seal === hash && sealed.run_id === each.run_id;
    const takesBack = "amendment" in each.details && ruled.has(each.details.amendment);
    if (!sealed) faults.push(`ruling ${each.number}: no seal`);
    else if (!fits || !(isRule(each) || takesBack)) faults.push(`ruling ${each.number}`);
  }
  return [...faults, ...[...seals.keys()].map((number) => `seal ${number}`)];
}

/** Files whose cause is another than the one that was ruled, or comes from a ruling that nobody made. */
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

function isRule(each: Ruling): boolean {
  return each.amendment === "rule";
}

function placeOf(team: string, number: number): string {
  return `${team}: file ${number}`;
}

import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { EVERY, get, readFile, type Schemas } from "@/api/client";
import { codesOf, useLanguage } from "@/ui/contest";
import { Tabs } from "@/ui/controls";
import { Downloads } from "@/ui/forms";
import { decimal } from "@/ui/numbers";

export type Progress = Schemas["ProgressBody"];
export type Essay = Progress["essays"][number];
export type Given = Essay["assignments"][number];
export type Expert = Schemas["ExpertBody"];

/** Agreement of a contest's experts; each contest sends its own part of the fields. An undefined number is null. */
export interface Agreement {
  readonly all?: Measures;
  readonly by_subject?: Readonly<Record<string, Measures>>;
  readonly by_pair?: readonly (Measures & { readonly experts: readonly [string, string] })[];
  readonly by_code?: readonly OfCode[];
  readonly by_expert?: readonly Drift[];
  /** Agreement by an error's field, over all errors that somebody named. */
  readonly by_field?: Readonly<Record<string, OfLabels>>;
  /** Agreement on whether context is needed, by type of error. */
  readonly by_type?: Readonly<Record<string, OfLabels>>;
}

/** Agreement measures over labels, as shares of 1; only `same_percent` is a percentage. */
export interface OfLabels {
  readonly errors: number;
  readonly same_percent: number | null;
  readonly krippendorff_alpha: number | null;
  readonly fleiss_kappa: number | null;
  readonly randolph_kappa: number | null;
}

type Range = readonly [number, number] | null;

export interface Measures {
  readonly essays: number;
  readonly accuracy: number | null;
  readonly accuracy_95: Range;
  readonly alpha: number | null;
  readonly alpha_95: Range;
}

interface OfCode {
  readonly subject: string;
  readonly code: string;
  readonly units: number;
  readonly agreed: number;
  readonly alpha: number | null;
  readonly alpha_95: Range;
}

/** Differences of an expert from its partners on the same essays. */
interface Drift {
  readonly expert: string;
  readonly essays: number;
  readonly accuracy: number | null;
  readonly accuracy_95: Range;
  readonly points: number | null;
  readonly points_95: Range;
  readonly fragments: number | null;
  readonly fragments_95: Range;
}

export const MARKINGS = get("/v1/markings", {}, EVERY.idle);
export const EXPERTS = get("/v1/experts", {}, EVERY.idle);

export function progressOf(markingId: string) {
  return get("/v1/markings/{marking_id}", { marking_id: markingId }, EVERY.idle);
}

export function agreementOf(markingId: string) {
  return get("/v1/markings/{marking_id}/agreement", { marking_id: markingId }, EVERY.idle);
}

/** Return a function from an expert's id to the pseudonym; to the id itself while the expert is not known. */
export function useNames(): (expertId: string) => string {
  const experts = useQuery(EXPERTS).data?.experts ?? [];
  const names = new Map(experts.map((expert) => [expert.expert_id, expert.pseudonym]));
  return (expertId) => names.get(expertId) ?? expertId;
}

/** Return a code as the classifier writes it: agreement is computed over codes in one case. */
export function useCodeName(): (subject: string, code: string) => string {
  const subjects = codesOf(useQuery(get("/v1/classifier", {})).data)?.subjects ?? {};
  return (subject, code) => subjects[subject]?.find((subject) => subject.code.toLowerCase() === code)?.code ?? code;
}

/** True if an assignment can still be changed: it is not handed in, and no other expert has taken it over. */
export function isFree(assignment: Given, essay: Essay): boolean {
  return (
    assignment.state === "assigned" ||
    assignment.state === "opened" ||
    (assignment.state !== "handed_in" && essay.lacking > 0)
  );
}

type Ranged = readonly [number, number] | null | undefined;

/** Return a formatter of numbers with their 95 % intervals, in the reader's language. */
export function useNumbers() {
  const language = useLanguage();
  return (value: number | null | undefined, interval: Ranged, digits = 1): string => {
    if (value === null || value === undefined) return "—";
    const write = (number: number) => decimal(number, digits, language);
    return write(value) + (interval ? ` [${write(interval[0])}; ${write(interval[1])}]` : "");
  };
}

/** Show the state of an assignment in the coordinator's words. */
export function StateWord({ state }: { state: Schemas["AssignmentState"] }) {
  const { t } = useLingui();
  const words = {
    assigned: t`not opened`,
    opened: t`at work`,
    handed_in: t`handed in`,
    expired: t`ran out`,
    handed_back: t`handed back`,
    reassigned: t`given to another`,
    released: t`taken back`,
  };
  return words[state];
}

/** Show the tabs of the experts' room: work given out, and people. */
export function RoomTabs() {
  const { t } = useLingui();
  return (
    <Tabs
      label={t`Experts`}
      of={[
        ["/desk/experts", t`Work given out`],
        ["/desk/experts/people", t`People`],
      ]}
    />
  );
}

/** Show the tabs of one body of work. */
export function MarkingTabs({ markingId }: { markingId: string }) {
  const { t } = useLingui();
  return (
    <Tabs
      label={t`The work`}
      params={{ markingId }}
      of={[
        ["/desk/experts", t`All work`],
        ["/desk/experts/markings/$markingId", t`Progress`],
        ["/desk/experts/markings/$markingId/agreement", t`Agreement and speed`],
      ]}
    />
  );
}

/** The coordinator's report as the platform writes it. */
export function Reports({ markingId }: { markingId: string }) {
  const lang = useLanguage();
  const path = { marking_id: markingId };
  const values = { ...path, lang };
  return (
    <Downloads
      title={<Trans>Save the coordinator's report</Trans>}
      name={`experts-${markingId}`}
      of={[
        ["CSV", () => readFile("/v1/markings/{marking_id}/report.csv", path)],
        ["XLSX", () => readFile("/v1/markings/{marking_id}/report.xlsx", values)],
        ["HTML", () => readFile("/v1/markings/{marking_id}/report.html", values)],
      ]}
    />
  );
}

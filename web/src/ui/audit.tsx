import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/client";
import { useMay, useMe } from "@/auth/hooks";
import type { Language } from "@/i18n/i18n";
import russian from "./deeds.json";
import { Table } from "./Table";

/** Field that differs, with its values before and after; undefined on a side without such a field. */
interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

/** List the differences of two JSON values, field by field, in their order. Lists are compared as wholes. */
export function differences(before: unknown, after: unknown, field = ""): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], field ? `${field}.${name}` : name));
  }
  // If only one side is an object, its own fields are listed, so that additions and removals read like changes.
  if (isObject(before) && isNothing(after)) return differences(before, {}, field);
  if (isNothing(before) && isObject(after)) return differences({}, after, field);
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ field, before, after }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

const RUSSIAN: Readonly<Record<string, string>> = russian;

/** Return an action of the audit log in the reader's language; a person's own words after a colon stay as they are. */
export function deedText(what: string, language: Language): string {
  if (language === "en") return what;
  const whole = RUSSIAN[what];
  if (whole !== undefined) return whole;
  const at = what.indexOf(": ");
  if (at < 0) return what;
  const done = what.slice(0, at);
  return `${RUSSIAN[done] ?? done}${what.slice(at)}`;
}

/** Table of changes: each field with its values before and after. */
export function Changes({ differences, label }: { differences: readonly Difference[]; label?: string }) {
  const { t } = useLingui();
  return (
    <Table
      label={label ?? t`What changes`}
      rows={differences}
      rowKey={({ field }) => field}
      empty={t`No field differs.`}
      columns={[
        { header: t`Field`, cell: ({ field }) => <code>{field || "·"}</code> },
        { header: t`Before`, cell: ({ before }) => <Value of={before} /> },
        { header: t`After`, cell: ({ after }) => <Value of={after} /> },
      ]}
    />
  );
}

function Value({ of }: { of: unknown }) {
  if (of === undefined || of === null) return "—";
  return <code>{typeof of === "string" ? of : JSON.stringify(of)}</code>;
}

const PERSON = "person:";
const COMMAND = "command:";

/** Show an action's author: a name if the reader may know it, an operator (command line), or the start of an id. */
export function Author({ of, name }: { of: string; name?: string | null }) {
  const me = useMe();
  const reads = useMay("inspect_submissions");
  const staff = useQuery({ ...get("/v1/staff", {}), enabled: reads && !name, staleTime: 60_000 });
  const person = of.startsWith(PERSON) ? of.slice(PERSON.length) : of;
  const colleague = staff.data?.staff.find((member) => member.person_id === person || member.person_id === of);
  if (of.startsWith(COMMAND)) return <Trans>the operator {of.slice(COMMAND.length)} by command</Trans>;
  if (me?.person_id === person || me?.person_id === of) return <Trans>you</Trans>;
  const called = name ?? colleague?.name;
  return called ?? <code>{person.split("-")[0]}</code>;
}

import type { Span } from "./graphemes";
import { Offsets } from "./offsets";

/** The fields of a fragment that a person writes. */
export const WRITTEN = ["subtype", "comment", "explanation", "correction", "tag"] as const;
export type Written = (typeof WRITTEN)[number];

/** A fragment inside the site: places in code units. 0, 0 is the whole text. */
export interface Fragment extends Span {
  readonly id: number | string;
  readonly code: string;
  readonly subtype: string;
  readonly comment: string;
  readonly explanation: string;
  readonly correction: string;
  readonly tag: string;
}

/** A fragment as the API has it: places in code points (the contest's published form). */
export interface SentFragment {
  id?: number | string;
  startSelection: number;
  endSelection: number;
  type: string;
  subtype?: string;
  comment?: string;
  explanation?: string;
  correction?: string;
  tag?: string;
  group?: string;
}

export interface SentMarkup {
  meta: { subject: string; theme?: string; taskText?: string; [field: string]: unknown };
  criteria?: Record<string, number>;
  selections: SentFragment[];
  text: string;
}

export function fromSent(sent: SentMarkup, offsets = new Offsets(sent.text)): Fragment[] {
  const known = new Set<string>();
  return sent.selections.map((each, place) => {
    // Ids tell fragments apart here, so one that is missing or taken is replaced.
    let id = each.id ?? place + 1;
    while (known.has(String(id))) id = 1 + Math.max(...sent.selections.map((other) => asNumber(other.id)), known.size);
    known.add(String(id));
    return {
      id,
      start: offsets.toUnits(each.startSelection),
      end: offsets.toUnits(each.endSelection),
      code: each.type,
      subtype: each.subtype ?? "",
      comment: each.comment ?? "",
      explanation: each.explanation ?? "",
      correction: each.correction ?? "",
      tag: each.tag ?? "",
    };
  });
}

export function toSent(
  fragments: readonly Fragment[],
  essay: Pick<SentMarkup, "meta" | "text">,
  groupOf: (code: string) => string,
  offsets = new Offsets(essay.text),
): SentMarkup {
  const selections = fragments.map((each) => ({
    id: each.id,
    startSelection: offsets.toCodePoints(each.start),
    endSelection: offsets.toCodePoints(each.end),
    type: each.code,
    subtype: each.subtype,
    comment: each.comment,
    explanation: each.explanation,
    correction: each.correction,
    tag: each.tag,
    group: groupOf(each.code),
  }));
  return { meta: essay.meta, selections, text: essay.text };
}

export function isWholeText(span: Span): boolean {
  return span.start === 0 && span.end === 0;
}

/** In the order of the text, the longer first; those of the whole text before all others. */
export function inOrder(fragments: readonly Fragment[]): Fragment[] {
  return [...fragments].sort((one, other) => one.start - other.start || orderOfEnds(one, other));
}

function orderOfEnds(one: Fragment, other: Fragment): number {
  if (isWholeText(one) !== isWholeText(other)) return isWholeText(one) ? -1 : 1;
  return other.end - one.end;
}

export function freshId(fragments: readonly Fragment[]): number {
  return 1 + Math.max(0, ...fragments.map((each) => asNumber(each.id)));
}

/** The least number that no link carries yet. */
export function freshTag(fragments: readonly Fragment[]): string {
  const taken = new Set(fragments.map((each) => each.tag));
  let number = 1;
  while (taken.has(String(number))) number += 1;
  return String(number);
}

function asNumber(id: number | string | undefined): number {
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : 0;
}

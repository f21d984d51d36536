import { type Command, marking } from "./commands";
import { type Fragment, freshId, freshTag, inOrder } from "./markup";

/** State of a suggestion. */
type Standing = "open" | "accepted" | "rejected";

/** A suggested fragment; its key says place and code. */
export interface Suggestion {
  readonly key: string;
  readonly suggestion: Fragment;
  readonly standing: Standing;
}

/**
 * Return the suggestions in the text's order. One is accepted if an own fragment has its place and code, which depends
 * on the fragments alone, so that it outlives a reload and undoing.
 */
export function suggestionsOf(
  suggested: readonly Fragment[],
  fragments: readonly Fragment[],
  rejected: ReadonlySet<string>,
): Suggestion[] {
  const own = new Set(fragments.map(keyOf));
  return inOrder(suggested).map((suggestion) => {
    const key = keyOf(suggestion);
    return { key, suggestion, standing: own.has(key) ? "accepted" : rejected.has(key) ? "rejected" : "open" };
  });
}

/** Return the step that makes a suggestion an own fragment. A link's number with another meaning here is changed. */
export function acceptance(
  fragments: readonly Fragment[],
  suggested: readonly Fragment[],
  fragment: Fragment,
): Command {
  const linked = new Set(suggested.filter(({ tag }) => tag === fragment.tag).map(keyOf));
  const isTaken = fragment.tag !== "" && fragments.some((own) => own.tag === fragment.tag && !linked.has(keyOf(own)));
  const tag = isTaken ? freshTag(fragments) : fragment.tag;
  return marking(fragments, { ...fragment, tag, id: freshId(fragments) }, "adopt");
}

/** Return the next or previous open suggestion after a key; without a key the first one, or the last. */
export function nextOpen(all: readonly Suggestion[], key: string | null, by: 1 | -1): Suggestion | undefined {
  const at = all.findIndex((suggestion) => suggestion.key === key);
  const from = at < 0 && by < 0 ? 0 : at;
  const turned = all.map((_, step) => all[(from + by * (step + 1) + all.length * 2) % all.length] as Suggestion);
  return turned.find(({ standing }) => standing === "open");
}

function keyOf({ start, end, code }: Fragment): string {
  return `${start}-${end}-${code}`;
}

import { type Fragment, freshId } from "./markup";
import type { Span } from "./spans";

/** One change of a list of fragments, with the data for undoing it; plain data, so that the journal can store it. */
export type Edit =
  | { readonly op: "put"; readonly at: number; readonly fragment: Fragment }
  | { readonly op: "drop"; readonly at: number; readonly fragment: Fragment }
  | { readonly op: "set"; readonly id: Fragment["id"]; readonly before: Changes; readonly after: Changes };

export type Changes = Partial<Omit<Fragment, "id">>;

type Deed =
  | "mark"
  | "remove"
  | "code"
  | "place"
  | "write"
  | "link"
  | "import"
  | "adopt"
  | "rate"
  | "edit"
  | "context"
  | "answer";

/** One step of a person's work. */
export interface Command {
  readonly deed: Deed;
  readonly edits: readonly Edit[];
  /** Fragment that the step is about; undo moves to it. */
  readonly about: Fragment["id"] | null;
  /** Name that joins consecutive steps into one, such as typing in one field. */
  readonly joins?: string;
}

export interface History {
  readonly fragments: readonly Fragment[];
  readonly past: readonly Command[];
  readonly future: readonly Command[];
}

/** Entry of the journal: a command done, undone or redone, in turn. */
export type Entry = { readonly do: Command } | { readonly undo: true } | { readonly redo: true };

export function begin(fragments: readonly Fragment[]): History {
  return { fragments, past: [], future: [] };
}

/** Return the history after an entry; the same one if there is nothing to undo or redo. */
export function advance(history: History, entry: Entry): History {
  if ("do" in entry) return done(history, entry.do);
  if ("undo" in entry) return undone(history);
  return redone(history);
}

function done(history: History, command: Command): History {
  const fragments = apply(history.fragments, command.edits);
  const last = history.past.at(-1);
  const joined = command.joins !== undefined && last?.joins === command.joins && history.future.length === 0;
  const past = joined
    ? [...history.past.slice(0, -1), { ...command, edits: joinEdits(last.edits, command.edits) }]
    : [...history.past, command];
  return { fragments, past, future: [] };
}

function undone(history: History): History {
  const last = history.past.at(-1);
  if (!last) return history;
  return {
    fragments: apply(history.fragments, inverse(last.edits)),
    past: history.past.slice(0, -1),
    future: [last, ...history.future],
  };
}

function redone(history: History): History {
  const [next, ...future] = history.future;
  if (!next) return history;
  // Undoing ended the step: the next typing is a new step.
  const { joins: _, ...closed } = next;
  return { fragments: apply(history.fragments, next.edits), past: [...history.past, closed], future };
}

export function inverse(edits: readonly Edit[]): Edit[] {
  return edits.toReversed().map((edit) => {
    if (edit.op === "set") return { ...edit, before: edit.after, after: edit.before };
    return { ...edit, op: edit.op === "put" ? "drop" : "put" };
  });
}

export function apply(fragments: readonly Fragment[], edits: readonly Edit[]): Fragment[] {
  const next = [...fragments];
  for (const edit of edits) {
    if (edit.op === "put") next.splice(edit.at, 0, edit.fragment);
    else if (edit.op === "drop") next.splice(edit.at, 1);
    else {
      const at = next.findIndex((fragment) => fragment.id === edit.id);
      if (at >= 0) next[at] = { ...(next[at] as Fragment), ...edit.after };
    }
  }
  return next;
}

/** Merge two lists of edits: if both set the same field of one fragment, the middle value is dropped. */
function joinEdits(first: readonly Edit[], second: readonly Edit[]): Edit[] {
  const [one, other] = [first[0], second[0]];
  if (first.length === 1 && second.length === 1 && one?.op === "set" && other?.op === "set" && one.id === other.id) {
    return [
      { op: "set", id: one.id, before: { ...other.before, ...one.before }, after: { ...one.after, ...other.after } },
    ];
  }
  return [...first, ...second];
}

export function marking(fragments: readonly Fragment[], fragment: Fragment, deed: Deed = "mark"): Command {
  return { deed, edits: [{ op: "put", at: fragments.length, fragment }], about: fragment.id };
}

export function removal(fragments: readonly Fragment[], id: Fragment["id"]): Command {
  const at = fragments.findIndex((fragment) => fragment.id === id);
  return { deed: "remove", edits: [{ op: "drop", at, fragment: fragments[at] as Fragment }], about: id };
}

export function change(fragment: Fragment, changes: Changes, deed: Deed, joins?: string): Command {
  const before = Object.fromEntries(
    Object.keys(changes).map((name) => [name, fragment[name as keyof Fragment]]),
  ) as Changes;
  const edits: Edit[] = [{ op: "set", id: fragment.id, before, after: changes }];
  return joins === undefined ? { deed, edits, about: fragment.id } : { deed, edits, about: fragment.id, joins };
}

/** Return the step that turns these fragments into those. */
export function replacement(before: readonly Fragment[], after: readonly Fragment[], deed: Deed): Command {
  const dropped: Edit[] = before.map((fragment, at) => ({ op: "drop", at, fragment }) as const).toReversed();
  const put: Edit[] = after.map((fragment, at) => ({ op: "put", at, fragment }));
  return { deed, edits: [...dropped, ...put], about: after[0]?.id ?? null };
}

/** Text in the form handed out for edits: sentences with blanks between tokens, and all tokens in a row. */
export interface SentTokens {
  readonly id?: string;
  readonly sentences: readonly string[];
  readonly tokens: readonly string[];
}

/** Context that an error needs: its purpose, its side, and its distances in the unit of `scope`. */
export interface Context {
  readonly detection: boolean;
  readonly correction: boolean;
  readonly scope: "clause" | "sentence";
  readonly direction: Direction;
  readonly left: number;
  readonly right: number;
}

export const DIRECTIONS = ["left", "right", "either", "both"] as const;
type Direction = (typeof DIRECTIONS)[number];

/** Error in the API's form: its span counts tokens, and one without tokens is an insertion. */
export interface SentEdit {
  start: number;
  end: number;
  correction: string;
  type: string;
  context_dependent?: boolean;
  context?: Partial<Context> | null;
  group?: string | null;
}

export interface SentEdits {
  edits: SentEdit[];
}

/**
 * Types that ERRANT gives to edits of English, as suggestions for typing: a corpus may have others, and the platform
 * accepts all.
 */
export const USUAL_TYPES: readonly string[] = [
  ..."ADJ ADJ:FORM ADV CONJ CONTR DET MORPH NOUN NOUN:INFL NOUN:NUM NOUN:POSS ORTH OTHER PART PREP PRON PUNCT SPELL".split(
    " ",
  ),
  ..."VERB VERB:FORM VERB:INFL VERB:SVA VERB:TENSE WO".split(" "),
];

/** Text in tokens with the place of each, in code units. */
export interface TokenText {
  readonly text: string;
  /** Places of the tokens, in their order. */
  readonly spans: readonly Span[];
  /** Tokens of each sentence: first, and end (exclusive). */
  readonly sentences: readonly Span[];
}

/**
 * Return the tokens as one text, a sentence a line. Each token has a character before it, so that none has the place
 * of "the whole text", which inside the site is the span 0, 0.
 */
export function textOfTokens({ sentences, tokens }: SentTokens): TokenText {
  let text = "";
  const spans: Span[] = [];
  const places: Span[] = [];
  for (const sentence of sentences) {
    const words = sentence.split(" ").filter((word) => word !== "");
    if (words.length === 0) continue;
    places.push({ start: spans.length, end: spans.length + words.length });
    words.forEach((word, place) => {
      text += place === 0 ? "\n" : " ";
      spans.push({ start: text.length, end: text.length + word.length });
      text += word;
    });
  }
  if (spans.length !== tokens.length) throw new Error("sentences and tokens are not of one text");
  return { text, spans, sentences: places };
}

/** Return the tokens of a place in the text; for an insertion, the empty span before the next token. */
export function tokensOf({ spans }: TokenText, { start, end }: Span): Span {
  const first = spans.findIndex((span) => span.start >= start);
  if (start === end) return first < 0 ? { start: spans.length, end: spans.length } : { start: first, end: first };
  return { start: first, end: spans.findLastIndex((span) => span.end <= end) + 1 };
}

/** Return the place of tokens in the text; an insertion stands at the start of the token after it, or at the end. */
export function placeOf({ text, spans }: TokenText, { start, end }: Span): Span {
  const from = spans[start]?.start ?? text.length;
  return { start: from, end: end > start ? (spans[end - 1]?.end ?? text.length) : from };
}

/**
 * Return edits as fragments, so that journal, undoing and saving are the annotator's. The code is the error's type, the
 * tag its group of interdependent edits, and the comment its context: empty if none is needed.
 */
export function editsOf(content: SentTokens, draft: SentEdits | null): Fragment[] {
  const text = textOfTokens(content);
  return (draft?.edits ?? []).map((edit, place) => ({
    id: place + 1,
    ...placeOf(text, edit),
    code: edit.type,
    subtype: "",
    comment: edit.context_dependent ? JSON.stringify(edit.context ?? {}) : "",
    explanation: "",
    correction: edit.correction,
    tag: edit.group ?? "",
  }));
}

/** Return the edits in the API's form, in the order of the fragments. */
export function toEdits(fragments: readonly Fragment[], content: SentTokens): SentEdits {
  const text = textOfTokens(content);
  return { edits: fragments.map((fragment) => toEdit(fragment, text)) };
}

function toEdit(fragment: Fragment, text: TokenText): SentEdit {
  const context = contextOf(fragment);
  return {
    ...tokensOf(text, fragment),
    correction: fragment.correction,
    type: fragment.code,
    context_dependent: context !== null,
    // An incomplete context is not sent: the platform then names the error whose context is missing.
    ...(context !== null && isWhole(context) && { context }),
    ...(fragment.tag !== "" && { group: fragment.tag }),
  };
}

/** Return an error's context as far as it is filled in; null if the error needs none. */
export function contextOf({ comment }: Fragment): Partial<Context> | null {
  return comment === "" ? null : (JSON.parse(comment) as Partial<Context>);
}

function isWhole(context: Partial<Context>): context is Context {
  return context.scope !== undefined && context.direction !== undefined;
}

/** Return the step that sets an error's context, also an incomplete one; null: the error needs no context. */
export function withContext(fragment: Fragment, context: Partial<Context> | null, joins?: string): Command {
  return change(fragment, { comment: context === null ? "" : JSON.stringify(context) }, "context", joins);
}

/** Return the context with the side's distances: at least 1 on a side with context, 0 on one without. */
export function onSide(context: Partial<Context>, direction: Direction): Partial<Context> {
  const least = Math.max(1, context.left ?? 0, context.right ?? 0);
  return {
    ...context,
    direction,
    left: direction === "right" ? 0 : context.left || least,
    right: direction === "left" ? 0 : context.right || least,
  };
}

/** Return the step that adds an error over these tokens; its initial correction is their own text. */
export function newEdit(fragments: readonly Fragment[], text: TokenText, tokens: Span, type: string): Command {
  const place = placeOf(text, tokens);
  const words = text.spans.slice(tokens.start, tokens.end).map(({ start, end }) => text.text.slice(start, end));
  const fields = { code: type, subtype: "", comment: "", explanation: "", tag: "", correction: words.join(" ") };
  return marking(fragments, { id: freshId(fragments), ...place, ...fields }, "edit");
}

/** Return the errors that these tokens touch, or the insertions at this very place. */
export function editsAt(fragments: readonly Fragment[], text: TokenText, { start, end }: Span): Fragment[] {
  return fragments.filter((fragment) => {
    const own = tokensOf(text, fragment);
    if (start === end || own.start === own.end) return own.start === start && own.end === end;
    return own.start < end && start < own.end;
  });
}

/** Return the errors in the text's order; an insertion before a word stands before an error in that word. */
export function editsInOrder(fragments: readonly Fragment[]): Fragment[] {
  return [...fragments].sort((one, other) => one.start - other.start || one.end - other.end);
}

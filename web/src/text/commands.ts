import type { Fragment } from "./markup";

/** One change of a list of fragments, with what it takes to undo it; plain data, so that the journal can keep it. */
export type Edit =
  | { readonly op: "put"; readonly at: number; readonly fragment: Fragment }
  | { readonly op: "drop"; readonly at: number; readonly fragment: Fragment }
  | { readonly op: "set"; readonly id: Fragment["id"]; readonly before: Changes; readonly after: Changes };

export type Changes = Partial<Omit<Fragment, "id">>;

export type Deed =
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

/** What a person did in one step. */
export interface Command {
  readonly deed: Deed;
  readonly edits: readonly Edit[];
  /** The fragment that the step is about: undo goes there. */
  readonly about: Fragment["id"] | null;
  /** Steps with the same one in a row are one step: typing in one field. */
  readonly joins?: string;
}

export interface History {
  readonly fragments: readonly Fragment[];
  readonly past: readonly Command[];
  readonly future: readonly Command[];
}

/** An entry of the journal: everything that was done, and taken back, in turn. */
export type Entry = { readonly do: Command } | { readonly undo: true } | { readonly redo: true };

export function begin(fragments: readonly Fragment[]): History {
  return { fragments, past: [], future: [] };
}

/** The history after an entry; the same one where there is nothing to undo or redo. */
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
  // Undoing ended the step: what is typed next is a step of its own.
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
  const made = [...fragments];
  for (const edit of edits) {
    if (edit.op === "put") made.splice(edit.at, 0, edit.fragment);
    else if (edit.op === "drop") made.splice(edit.at, 1);
    else {
      const at = made.findIndex((each) => each.id === edit.id);
      if (at >= 0) made[at] = { ...(made[at] as Fragment), ...edit.after };
    }
  }
  return made;
}

/** Two runs of edits as one: where both set the same field of the same fragment the middle value is forgotten. */
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
  const at = fragments.findIndex((each) => each.id === id);
  return { deed: "remove", edits: [{ op: "drop", at, fragment: fragments[at] as Fragment }], about: id };
}

export function change(of: Fragment, changes: Changes, deed: Deed, joins?: string): Command {
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, of[name as keyof Fragment]])) as Changes;
  const edits: Edit[] = [{ op: "set", id: of.id, before, after: changes }];
  return joins === undefined ? { deed, edits, about: of.id } : { deed, edits, about: of.id, joins };
}

/** One step from these fragments to those. */
export function replacement(before: readonly Fragment[], after: readonly Fragment[], deed: Deed): Command {
  const dropped: Edit[] = before.map((fragment, at) => ({ op: "drop", at, fragment }) as const).toReversed();
  const put: Edit[] = after.map((fragment, at) => ({ op: "put", at, fragment }));
  return { deed, edits: [...dropped, ...put], about: after[0]?.id ?? null };
}

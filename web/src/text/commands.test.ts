import fc from "fast-check";
import { expect, it, test } from "vitest";
import {
  advance,
  apply,
  begin,
  type Command,
  change,
  contextOf,
  DIRECTIONS,
  type Entry,
  editsAt,
  editsOf,
  type History,
  inverse,
  marking,
  newEdit,
  onSide,
  placeOf,
  removal,
  replacement,
  type SentEdit,
  type SentTokens,
  textOfTokens,
  toEdits,
  tokensOf,
  withContext,
} from "./commands";
import { type Fragment, freshId, freshTag, fromSent, inOrder, isWholeText, toSent } from "./markup";
import { hardText } from "./samples";

function fragment(id: number, more: Partial<Fragment> = {}): Fragment {
  const empty = { subtype: "", comment: "", explanation: "", correction: "", tag: "" };
  return { id, start: id, end: id + 5, code: "И.факт", ...empty, ...more };
}

/** Return the step that a number stands for, made on the present fragments. */
function stepOf(now: History, choice: number): Entry {
  const { fragments } = now;
  const picked = fragments[choice % Math.max(fragments.length, 1)];
  if (choice % 7 === 0) return { undo: true };
  if (choice % 7 === 1) return { redo: true };
  if (choice % 7 === 2 && picked) return { do: removal(fragments, picked.id) };
  if (choice % 7 === 3 && picked)
    return { do: change(picked, { comment: `c${choice}` }, "write", `comment:${picked.id}`) };
  if (choice % 7 === 5) return { do: replacement(fragments, [fragment(choice)], "import") };
  return { do: marking(fragments, fragment(freshId(fragments))) };
}

function play(choices: readonly number[]): { entries: Entry[]; now: History } {
  let now = begin([fragment(1)]);
  const entries: Entry[] = [];
  for (const choice of choices) {
    const entry = stepOf(now, choice);
    entries.push(entry);
    now = advance(now, entry);
  }
  return { entries, now };
}

const choices = fc.array(fc.nat(1000), { maxLength: 40 });

test("undoing everything gives what was there first, redoing everything gives it all back", () => {
  fc.assert(
    fc.property(choices, (commands) => {
      const { now } = play(commands);
      let back = now;
      for (const _ of now.past) back = advance(back, { undo: true });
      expect(back.fragments).toEqual([fragment(1)]);
      let again = back;
      while (again.future.length > 0) again = advance(again, { redo: true });
      expect(again.fragments).toEqual(advanceAll(now).fragments);
    }),
  );
});

function advanceAll(now: History): History {
  let last = now;
  while (last.future.length > 0) last = advance(last, { redo: true });
  return last;
}

test("entries that were written down and read again give the same", () => {
  fc.assert(
    fc.property(choices, (commands) => {
      const { entries, now } = play(commands);
      const read = JSON.parse(JSON.stringify(entries)) as Entry[];
      expect(read.reduce(advance, begin([fragment(1)]))).toEqual(now);
    }),
  );
});

test("a command and its inverse change nothing", () => {
  const before = [fragment(1), fragment(2), fragment(3)];
  const command: Command = replacement(before, [fragment(9), fragment(2)], "import");
  expect(apply(apply(before, command.edits), inverse(command.edits))).toEqual(before);
});

test("typing in one field is one step, until something else is done", () => {
  let now = begin([fragment(1)]);
  const type = (text: string) => {
    now = advance(now, { do: change(now.fragments[0] as Fragment, { comment: text }, "write", "comment:1") });
  };
  type("о");
  type("ош");
  expect(now.past).toHaveLength(1);
  now = advance(now, { undo: true });
  expect(now.fragments[0]?.comment).toBe("");
  now = advance(now, { redo: true });
  type("ошибка");
  expect(now.past).toHaveLength(2);
  now = advance(now, { undo: true });
  expect(now.fragments[0]?.comment).toBe("ош");
});

test("places go to the API as code points and come back as they were", () => {
  fc.assert(
    fc.property(hardText, fc.nat(), fc.nat(), (text, one, other) => {
      const points = Array.from(text);
      const [start, end] = [one % (points.length + 1), other % (points.length + 1)].sort((a, b) => a - b) as [
        number,
        number,
      ];
      const sent = {
        meta: { subject: "hist" },
        text,
        selections: [{ ...blank, id: 1, startSelection: start, endSelection: end, type: "И.факт", group: "error" }],
      };
      const [inside] = fromSent(sent) as [Fragment];
      expect(text.slice(inside.start, inside.end)).toBe(points.slice(start, end).join(""));
      expect(toSent([inside], sent, () => "error")).toEqual(sent);
    }),
  );
});

const blank = { subtype: "", comment: "", explanation: "", correction: "", tag: "" };

test("ids that are missing or taken are replaced", () => {
  const sent = { startSelection: 0, endSelection: 1, type: "И.факт" };
  const markup = fromSent({
    meta: { subject: "hist" },
    text: "аб",
    selections: [{ ...sent, id: 1 }, { ...sent, id: 1 }, sent],
  });
  expect(new Set(markup.map((fragment) => String(fragment.id))).size).toBe(3);
});

test("the list is in the order of the text, whole text first, the longer first", () => {
  const listed = inOrder([
    fragment(4),
    fragment(2, { start: 4, end: 30 }),
    fragment(3, { start: 0, end: 3 }),
    fragment(1, { start: 0, end: 0 }),
  ]);
  expect(listed.map(({ id }) => id)).toEqual([1, 3, 2, 4]);
});

test("a new link takes the least number that is free", () => {
  expect(freshTag([fragment(1, { tag: "1" }), fragment(2, { tag: "3" }), fragment(3, { tag: "x" })])).toBe("2");
});

/** Emoji of one and of several code points, combining marks, a token that looks like another, a sentence without any. */
const SENTENCES = ["I 👨‍👩‍👧‍👦 go their .", "", "и\u0301 их 😀 😀 , cafe\u0301 ."];
const CONTENT: SentTokens = { sentences: SENTENCES, tokens: SENTENCES.join(" ").split(" ").filter(Boolean) };
const LAST = CONTENT.tokens.length;

const spans = fc
  .tuple(fc.integer({ min: 0, max: LAST }), fc.integer({ min: 0, max: LAST }))
  .map(([one, other]) => ({ start: Math.min(one, other), end: Math.max(one, other) }));

it("finds each token where it stands, emoji and combining marks among them", () => {
  const { text, spans, sentences } = textOfTokens(CONTENT);
  expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(CONTENT.tokens);
  expect(sentences).toEqual([
    { start: 0, end: 5 },
    { start: 5, end: LAST },
  ]);
});

it("takes every place in tokens to the text and back, insertions too, and none of them for the whole text", () => {
  const text = textOfTokens(CONTENT);
  fc.assert(
    fc.property(spans, (span) => {
      const place = placeOf(text, span);
      expect(tokensOf(text, place)).toEqual(span);
      expect(isWholeText(place)).toBe(false);
    }),
  );
});

it("refuses a text whose sentences are not its tokens, instead of shifting every error", () => {
  expect(() => textOfTokens({ ...CONTENT, tokens: CONTENT.tokens.slice(1) })).toThrow("not of one text");
});

it("sends what was said of each error, and reads it back", () => {
  const context = fc.record({
    detection: fc.boolean(),
    correction: fc.boolean(),
    scope: fc.constantFrom("clause" as const, "sentence" as const),
    direction: fc.constantFrom(...DIRECTIONS),
    left: fc.nat(9),
    right: fc.nat(9),
  });
  const edit = fc.record({
    span: spans,
    correction: fc.string(),
    type: fc.string({ minLength: 1 }),
    context: fc.option(context),
    group: fc.option(fc.string({ minLength: 1 })),
  });
  fc.assert(
    fc.property(fc.array(edit), (fields) => {
      const edits = fields.map(
        ({ span, context, group, ...rest }): SentEdit => ({
          ...span,
          ...rest,
          context_dependent: context !== null,
          ...(context && { context }),
          ...(group !== null && { group }),
        }),
      );
      expect(toEdits(editsOf(CONTENT, { edits }), CONTENT)).toEqual({ edits });
    }),
  );
});

it("sends an error whose context is begun without one, so that the platform names it", () => {
  let history = begin([]);
  const text = textOfTokens(CONTENT);
  history = advance(history, { do: newEdit(history.fragments, text, { start: 3, end: 4 }, "R:PRON") });
  const [fragment] = history.fragments;
  if (!fragment) throw new Error("no error was made");
  expect(fragment.correction).toBe("their");
  history = advance(history, { do: withContext(fragment, { detection: true, correction: false, scope: "clause" }) });
  expect(toEdits(history.fragments, CONTENT).edits).toEqual([
    { start: 3, end: 4, correction: "their", type: "R:PRON", context_dependent: true },
  ]);
  const [open] = history.fragments;
  const whole = open && onSide(contextOf(open) ?? {}, "both");
  expect(whole).toMatchObject({ direction: "both", left: 1, right: 1 });
  history = advance(history, { do: withContext(fragment, whole ?? null) });
  expect(toEdits(history.fragments, CONTENT).edits[0]?.context).toEqual(whole);
  history = advance(history, { undo: true });
  expect(toEdits(history.fragments, CONTENT).edits[0]?.context).toBeUndefined();
});

it("keeps no distance on a side where the context is not", () => {
  expect(onSide({ left: 3, right: 0 }, "right")).toMatchObject({ left: 0, right: 3 });
  expect(onSide({ left: 3, right: 2 }, "left")).toMatchObject({ left: 3, right: 0 });
  expect(onSide({}, "either")).toMatchObject({ left: 1, right: 1 });
});

it("finds the error at a place: one that a token is part of, an insertion at its own place alone", () => {
  const text = textOfTokens(CONTENT);
  const edits = [
    { start: 1, end: 3, correction: "went", type: "V" },
    { start: 3, end: 3, correction: "to", type: "M" },
  ];
  const fragments = editsOf(CONTENT, { edits });
  const at = (start: number, end: number) =>
    editsAt(fragments, text, { start, end }).map(({ correction }) => correction);
  expect(at(2, 4)).toEqual(["went"]);
  expect(at(3, 3)).toEqual(["to"]);
  expect(at(3, 4)).toEqual([]);
  expect(at(1, 1)).toEqual([]);
});

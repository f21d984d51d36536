import fc from "fast-check";
import { expect, test } from "vitest";
import {
  advance,
  apply,
  begin,
  type Command,
  change,
  type Entry,
  type History,
  inverse,
  marking,
  removal,
  replacement,
} from "./commands";
import { type Fragment, freshId, freshTag, fromSent, inOrder, toSent } from "./markup";
import { hardText } from "./samples";

function fragment(id: number, more: Partial<Fragment> = {}): Fragment {
  const empty = { subtype: "", comment: "", explanation: "", correction: "", tag: "" };
  return { id, start: id, end: id + 5, code: "И.факт", ...empty, ...more };
}

/** Steps by a number each, made on whatever is there. */
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
    fc.property(choices, (made) => {
      const { now } = play(made);
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
    fc.property(choices, (made) => {
      const { entries, now } = play(made);
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
  const made = fromSent({
    meta: { subject: "hist" },
    text: "аб",
    selections: [{ ...sent, id: 1 }, { ...sent, id: 1 }, sent],
  });
  expect(new Set(made.map((each) => String(each.id))).size).toBe(3);
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

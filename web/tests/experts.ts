import { Program } from "./cabinetProgram.ts";
import { advance, ask, asOrganizer, drain, order } from "./cloud.ts";

/** Text that is hard on positions: an emoji of several code points, combining marks, a line end of Windows. */
export const HARD =
  "Пётр I 👨‍👩‍👧‍👦 провёл реформы, и\u0301 это было «важно».\r\n" +
  "Губернская реформа 😀 1708 года привела к усилению власти царя, потому что губернаторов назначал он сам.\n\n" +
  "Еще\u0308 реформа армии: рекруты, полки, устав 1716 года. Итог — победа под Полтавой в 1709 году.";

export const [FIRST, SECOND, THIRD] = [
  "expert@example.org",
  "second.expert@example.org",
  "third.expert@example.org",
] as const;

export interface Given {
  text: string;
  /** Assignment ids by the expert's e-mail. */
  assignments: Record<string, string>;
}

/** Give an essay to the two experts; its last line makes it another text than all before it. */
export async function giveEssay(words = HARD, kind: "test" | "training" = "test"): Promise<Given & { name: string }> {
  const name = `essay-${Date.now().toString(36)}`;
  const text = `${words}\n${name}`;
  return { name, text, assignments: await order("/essay", { name, text, kind, experts: [FIRST, SECOND] }) };
}

/** Fragment as tests write it: the words it covers, its type, and its other fields. */
export type Marked = [words: string, type: string, rest?: object];

/** Fragments in the published form; places count code points. */
export function fragmentsOf(text: string, marked: readonly Marked[]): object[] {
  const points = (units: string) => Array.from(units).length;
  return marked.map(([words, type, rest], place) => {
    const start = words === "" ? 0 : points(text.slice(0, text.indexOf(words)));
    const end = words === "" ? 0 : start + points(words);
    return { id: place + 1, startSelection: start, endSelection: end, type, ...rest };
  });
}

/** Give an essay that two experts have annotated so that the rule calls the third one; return the assignments. */
export async function giveThird(
  words: string,
  markups: readonly (readonly Marked[])[],
): Promise<Given & { third: string }> {
  const name = `third-${Date.now().toString(36)}`;
  const text = `${words}\n${name}`;
  const emails = [FIRST, SECOND, THIRD];
  const said = { name, text, emails, markups: markups.map((each) => fragmentsOf(text, each)) };
  const assignments = await order<Record<string, string>>("/differ", said);
  return { text, assignments, third: assignments[THIRD] as string };
}

/** Give an answer with so many explanations to two raters; return the first one's assignment. */
export async function giveRatings(explanations: number): Promise<string> {
  const program = await Program.open(1);
  const file = await program.take(1);
  const { meta, text } = file.content;
  const { classifier } = (await ask(FIRST, "GET", "/v1/classifier")).body;
  const words = [...new Set<string>(text.match(/\p{L}{4,}/gu) ?? [])].slice(0, explanations);
  const { code } = classifier.subjects[meta.subject].find(({ group }: { group: string }) => group === "error");
  const explained = words.map((word, place): Marked => [word, code, { explanation: `Explained ${place}: ${word}` }]);
  await program.answer(file, fragmentsOf(text, explained));
  await advance(400); // A session ends five minutes after its last file.
  await drain();
  const everything = { subjects: Object.keys(classifier.subjects), languages: ["rus", "eng"] };
  const { experts } = await order<{ experts: string[] }>("/enlist", { emails: [FIRST, SECOND], ...everything });
  const begun = await ask("organizer@example.org", "POST", "/v1/markings", { session: program.sessionId });
  if (begun.status !== 200) throw new Error(JSON.stringify(begun.body));
  const path = `/v1/markings/ratings-${program.sessionId}`;
  const { essays } = await asOrganizer<{ essays: { assignments: { expert_id: string; assignment_id: string }[] }[] }>(
    "GET",
    path,
  );
  const mine = essays[0]?.assignments.find(({ expert_id }) => expert_id === experts[0]);
  return mine?.assignment_id ?? "";
}

export interface SentFragment {
  startSelection: number;
  endSelection: number;
  type: string;
  subtype: string;
  correction: string;
  tag: string;
}

/** Return the latest draft of an assignment as the platform has it, each fragment with the words it covers. */
export async function saved(email: string, assignment: string): Promise<(SentFragment & { words: string })[]> {
  const { body } = await ask(email, "GET", `/v1/assignments/${assignment}`);
  const points = Array.from(body.content.text as string);
  return (body.draft?.selections ?? []).map((each: SentFragment) => ({
    ...each,
    words: points.slice(each.startSelection, each.endSelection).join(""),
  }));
}

/** The kinds of codes that have a line and a colour of their own (design §4): 31 categories cannot have 31 colours. */
export type Family = "grammar" | "speech" | "logic" | "composition" | "fact" | "task" | "meaning" | "ethics";

/** Beginnings of words that tell a category's family, the first that fits; a category that has none is of the task. */
const SIGNS: readonly (readonly [Family, readonly string[]])[] = [
  ["meaning", ["смыслов"]],
  ["ethics", ["этическ", "исправлен", "орфограф"]],
  ["grammar", ["грамматическ"]],
  ["logic", ["логическ", "логике", "причинно"]],
  ["speech", ["речевы", "лексическ", "точность"]],
  ["composition", ["композици", "организации", "форме изложения"]],
  ["fact", ["фактическ", "фактах", "события", "личности", "влияния"]],
];

const MARKS: Record<Family, string> = {
  grammar: "Г",
  speech: "Р",
  logic: "Л",
  composition: "К",
  fact: "Ф",
  task: "З",
  meaning: "▣",
  ethics: "✎",
};

export interface Categorized {
  readonly category: string;
  readonly group: "meaning" | "error";
}

export function familyOf({ category, group }: Categorized): Family {
  if (group === "meaning") return "meaning";
  const said = category.toLowerCase();
  return SIGNS.find(([, signs]) => signs.some((sign) => said.includes(sign)))?.[0] ?? "task";
}

/** The family's letter; a category that an organizer brought shows its own first one. */
export function markOf(code: Categorized): string {
  const family = familyOf(code);
  const isKnown = family !== "task" || TASK.some((sign) => code.category.toLowerCase().includes(sign));
  return isKnown ? MARKS[family] : (Array.from(code.category)[0] ?? MARKS.task).toUpperCase();
}

const TASK = ["тем", "проблем", "позици", "смысл", "поняти", "задачи", "терминолог", "аргумент"];

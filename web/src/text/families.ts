import { CATEGORIES } from "./categories";

/** The kinds of codes that have a line and a colour of their own (design §4): 31 categories cannot have 31 colours. */
export const FAMILIES = ["grammar", "speech", "logic", "composition", "fact", "task", "meaning", "ethics"] as const;
export type Family = (typeof FAMILIES)[number];

export const MARKS: Readonly<Record<Family, string>> = {
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

/** What is taken of a code that the classifier does not have. */
export const UNKNOWN: Categorized = { category: "", group: "error" };

/** The family of a code; a category that an organizer's own classifier brought is of the task. */
export function familyOf({ category, group }: Categorized): Family {
  return group === "meaning" ? "meaning" : (known(category) ?? "task");
}

/** The family's letter; a category that an organizer brought shows its own first one. */
export function markOf(code: Categorized): string {
  const family = familyOf(code);
  if (family !== "task" || known(code.category)) return MARKS[family];
  return (Array.from(code.category)[0] ?? MARKS.task).toUpperCase();
}

/** An organizer's category may be called like something that every object has. */
function known(category: string): Family | undefined {
  return Object.hasOwn(CATEGORIES, category) ? CATEGORIES[category] : undefined;
}

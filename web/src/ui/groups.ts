import { useQuery } from "@tanstack/react-query";
import { codesOf } from "@/api/classifier";
import { get } from "@/api/queries";
import { nameText } from "./cells";
import { inLanguage, useLanguage } from "./cycle";
import { languageName } from "./languages";

/** What the contest's classifier calls a group of items, as an essay's subject; what it does not name is said as it is. */
export function useGroupName(asked = true): (group: string) => string {
  const titles = codesOf(useQuery({ ...get("/v1/classifier", {}), enabled: asked }).data)?.titles ?? {};
  const language = useLanguage();
  return (group) => inLanguage(titles[group] ?? { en: nameText(group, language) }, language);
}

/** What a table's row is called, by what the table tells apart: subjects and languages are codes, which nobody reads. */
export function useRowName(table: string): (cell: unknown) => string {
  const language = useLanguage();
  const groupName = useGroupName(table === "by_subject");
  return (cell) => {
    if (table === "by_subject") return groupName(String(cell));
    return table === "by_language" ? languageName(String(cell), language) : nameText(cell, language);
  };
}

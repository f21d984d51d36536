import type { Schemas } from "@/api/client";
import { useLanguage } from "./cycle";

/** The rule of a stage that keeps a session or submission off the board, where one does. Clause: R 6.3 */
export function OffBoard({ of, inline }: { of: Schemas["OffBoardBody"] | null | undefined; inline?: boolean }) {
  const language = useLanguage();
  if (!of) return null;
  const said = language === "ru" ? of.message_ru : of.message;
  return inline ? <span>{said}</span> : <p>{said}</p>;
}

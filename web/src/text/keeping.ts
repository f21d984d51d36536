import { api, type Schemas } from "@/api/client";
import { save } from "@/ui/controls";
import type { SentMarkup } from "./markup";

/** A name without anything that a file system or a shell could take for more than a name. */
function fileName(id: unknown): string {
  return (
    String(id ?? "")
      .replace(/[^\p{L}\p{N}_-]/gu, "_")
      .slice(0, 80) || "markup"
  );
}

/** A markup as a file of the contest's JSON. */
export function keepAsJson(markup: SentMarkup): void {
  save(new Blob([JSON.stringify(markup, null, 1)], { type: "application/json" }), `${fileName(markup.meta.id)}.json`);
}

/** The same in the notation, which the platform writes; what hinders it, where something does. */
export async function keepAsNotation(markup: SentMarkup): Promise<readonly Schemas["Detail"][]> {
  const { data } = await api.POST("/v1/notation/render", { body: markup as Schemas["MarkupSent"] });
  if (!data?.text) return data?.errors ?? [];
  save(new Blob([data.text], { type: "text/plain" }), `${fileName(markup.meta.id)}.txt`);
  return [];
}

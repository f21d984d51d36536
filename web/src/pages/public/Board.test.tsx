import { setupI18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { messages as english } from "@/i18n/public/en.po";
import { messages as russian } from "@/i18n/public/ru.po";
import { References } from "./Board";
import type { Row } from "./boardData";

function shown(locale: "en" | "ru", references: Row["references"]): string {
  const i18n = setupI18n({ locale, messages: { en: english, ru: russian } });
  return renderToStaticMarkup(
    <I18nProvider i18n={i18n}>
      <References references={references} />
    </I18nProvider>,
  );
}

describe("References of a row", () => {
  it.each([
    ["en", "present", "Scored by the present references of the set."],
    ["en", "earlier", "Scored by earlier references; the set has others now."],
    ["ru", "present", "Оценена по действующим эталонам выборки."],
    ["ru", "earlier", "Оценена по прежним эталонам выборки: сейчас у неё другие."],
    ["en", null, ""],
    ["ru", null, ""],
  ] as const)("says in %s by which references a row stands: %s", (locale, board, expected) => {
    expect(shown(locale, board)).toBe(expected);
  });
});

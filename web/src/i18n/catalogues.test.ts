import { readFileSync } from "node:fs";
import { formatter } from "@lingui/format-po";
import { expect, test } from "vitest";
import { ROOMS } from "./rooms";

type Messages = Record<string, { message?: string; context?: string; translation?: string }>;

test("a sentence reads the same whichever rooms were opened before: catalogues are loaded over each other", async () => {
  const { parse } = formatter({ lineNumbers: false, origins: false });
  const translations = new Map<string, Map<string, string>>();
  for (const room of ROOMS) {
    const filename = `src/i18n/${room}/ru.po`;
    const where = { locale: "ru", sourceLocale: "en", filename };
    const messages = (await parse(readFileSync(filename, "utf-8"), where)) as Messages;
    for (const [id, { message, context, translation }] of Object.entries(messages)) {
      const texts = translations.get(id) ?? new Map<string, string>();
      translations.set(id, texts.set(translation ?? "", `${room}: ${context ?? ""} ${message ?? id}`));
    }
  }
  const differing = [...translations.values()].filter((texts) => texts.size > 1).map((texts) => [...texts]);
  expect(differing).toEqual([]);
  expect(translations.size).toBeGreaterThan(1000);
});

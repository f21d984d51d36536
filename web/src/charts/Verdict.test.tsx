import { setupI18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { messages as english } from "@/i18n/public/en.po";
import { messages as russian } from "@/i18n/public/ru.po";
import { Verdict } from "./Verdict";

const BOARD = { key: "relative_accuracy", unit: "percent", barrier: 100, levels: [], measure: { en: "", ru: "" } };

function told(overcome: boolean | null, result: unknown, { locale = "en", board = BOARD as object } = {}): string {
  const i18n = setupI18n({ locale, messages: { en: english, ru: russian } });
  const client = new QueryClient();
  client.setQueryData(["/v1/boards", {}], { boards: [board] });
  const { barrier: value } = board as typeof BOARD;
  const markup = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <I18nProvider i18n={i18n}>
        <Verdict barrier={{ value, overcome }} result={result} />
      </I18nProvider>
    </QueryClientProvider>,
  );
  return markup
    .replace(/<svg.*<\/svg>/, "[picture] ")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const of = (value: number | null, interval: number[] | null = null) => ({
  relative_accuracy: value,
  interval_95: { relative_accuracy: interval },
});

test("a result is told by a sentence first, with its interval, in both languages", () => {
  expect(told(false, of(82.1, [72.5, 90.5]))).toBe(
    "82.1 % of an expert: below the barrier [picture] The 95 % interval of OTAR: from 72.5 % to 90.5 %.",
  );
  expect(told(true, of(104.09, [98.45, 109.94]), { locale: "ru" })).toContain(
    "104,1 % точности эксперта: барьер преодолён",
  );
});

test("100 % is the barrier overcome, and what is just below it is not told as 100 %", () => {
  expect(told(true, of(100))).toContain("100 % of an expert: the barrier is overcome");
  expect(told(false, of(99.996))).toContain("99.996 % of an expert: below the barrier");
});

test("without an interval that is said, and without a value nothing is drawn", () => {
  expect(told(false, of(40))).toContain("OTAR has no 95 % interval here: there are too few files for one.");
  expect(told(null, of(null))).toBe("OTAR is undefined: nothing can be said of the barrier");
  expect(told(null, null)).toBe("");
});

test("of another contest the value is called as its board calls it, and a verdict may come without a value", () => {
  const board = { ...BOARD, key: "grade_norm", unit: "share", barrier: 0.7, measure: { en: "grade_norm", ru: "" } };
  expect(told(false, { grade_norm: 0.7 }, { board })).toBe("grade_norm 0.7: below the barrier [picture]");
  expect(told(true, { other: 1 }, { board })).toBe("grade_norm: the barrier is overcome");
});

test("a declared measure is told with its value, beside people's where they are the barrier, and in its direction", () => {
  const name = "Faults (lower is better)";
  const board = { ...BOARD, key: "measure", unit: "points", barrier: null, measure: { en: name, ru: "" } };
  const result = (value: number, better: string) => ({ values: { value }, people: { value: 2 }, better });
  expect(told(true, result(1.25, "lower"), { board })).toBe(`${name} 1.25: the barrier is overcome [picture]`);
  expect(told(false, result(3, "lower"), { board })).toBe(`${name} 3: the barrier is not overcome [picture]`);
  expect(told(false, result(1, "higher"), { board })).toBe(`${name} 1: below the barrier [picture]`);
});

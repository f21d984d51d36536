import { setupI18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Schemas } from "@/api/client";
import { messages as english } from "@/i18n/comparison/en.po";
import { messages as russian } from "@/i18n/comparison/ru.po";
import type { Row } from "@/text/drawn";
import type { Fragment } from "@/text/markup";
import { Details } from "./Details";

const TEXT = "The reforms of 1708 changed the country.";
const FRAGMENT: Fragment = {
  id: "1",
  start: 4,
  end: 11,
  code: "FACT",
  subtype: "",
  comment: "",
  correction: "",
  explanation: "",
  tag: "",
};
const PAIR: Schemas["MatchedPair"] = {
  x: 0,
  y: 0,
  j: 1 / 3,
  start_differs: true,
  code_differs: false,
  loss: 4 / 3,
  words_overlap: 2 / 3,
  subtype_or_comment_agrees: true,
  common_words: 2,
  all_words: 3,
  subtype: "equal",
  comment: "differs",
  correction: "absent",
};

function shown(locale: "en" | "ru", { pairs = [], near = [] }: Partial<Schemas["Comparison"]>): string {
  const i18n = setupI18n({ locale, messages: { en: english, ru: russian } });
  const [pair] = pairs;
  const active: Row = pair
    ? { kind: "place", x: 0, y: 0, loss: pair.loss }
    : { kind: "only-x", x: 0, y: null, loss: null };
  const comparison = { pairs, near } as Partial<Schemas["Comparison"]> as Schemas["Comparison"];
  const y = [{ ...FRAGMENT, comment: "of 1711" }];
  const markup = renderToStaticMarkup(
    <I18nProvider i18n={i18n}>
      <Details
        text={TEXT}
        comparison={comparison}
        x={[FRAGMENT]}
        y={y}
        active={active}
        metric={null}
        close={() => {}}
        step={() => {}}
        ref={null}
      />
    </I18nProvider>,
  );
  return markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

describe("Details of a pair", () => {
  /** Clause: platform §8 viewer */
  it("says the platform's loss with what it is made of, the words in common, and the fields", () => {
    const text = shown("en", { pairs: [PAIR] });
    expect(text).toContain("Place 0.33, start 1, code 0: L = 1.33, less than 2, so the two are a pair.");
    expect(text).toContain("Words in common: 2/3");
    expect(text).toContain("Comment: differs X — Y of 1711");
    expect(shown("ru", { pairs: [PAIR] })).toContain("L = 1,33");
  });

  it("rounds no loss to the limit that it does not reach, and says why what is near is no pair", () => {
    expect(shown("en", { pairs: [{ ...PAIR, loss: 1.9999 }] })).toContain("L = 1.9999, less than 2");
    const { subtype: _s, comment: _c, correction: _o, common_words: _w, all_words: _a, ...rest } = PAIR;
    const near = { ...rest, loss: 2.25, group_differs: true };
    const text = shown("en", { near: [near] });
    expect(text).toContain("L = 2.25; two fragments with a loss of 2 or more do not form a pair.");
    expect(text).toContain("They are of different groups");
  });
});

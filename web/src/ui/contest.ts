import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { EVERY, get } from "@/api/queries";
import { inLanguage, useCycle, useLanguage } from "./cycle";
import type { Unit } from "./numbers";

/** A value that stands as a dashed line through every row: the barrier, or people's. */
export interface Mark {
  at: number;
  name: string;
}

type BoardRules = Schemas["BoardRulesBody"];

const boardsQuery = get("/v1/boards", {}, EVERY.board);

/**
 * What the contest calls an item and its items, in the nominative; with a capital in `One` and `Many`. Files, until the
 * platform has said it.
 */
export function useCalled(): { one: string; many: string; One: string; Many: string } {
  const { t } = useLingui();
  const language = useLanguage();
  const called = useCycle()?.items_called;
  const one = called ? called.one[language] : t`file`;
  const many = called ? called.many[language] : t`files`;
  return { one, many, One: capital(one), Many: capital(many) };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The contest's boards, its main one first. */
export function useBoards() {
  return useQuery(boardsQuery);
}

/** In what the contest tells its results; per cent until the platform has said it. */
export function useUnit(): Unit {
  return useBoards().data?.boards[0]?.unit ?? "percent";
}

/** The barrier of a board: people's level by its name, where it is theirs. */
export function useMarkOf(): (rules: BoardRules | undefined) => Mark | null {
  const { t } = useLingui();
  const language = useLanguage();
  return (rules) => {
    if (!rules || rules.barrier === null) return null;
    const level = rules.levels.find(({ value }) => value === rules.barrier);
    return { at: rules.barrier, name: level ? inLanguage(level.title, language) : t`barrier` };
  };
}

/** The barrier of the contest's main board. */
export function useMark(): Mark | null {
  const boards = useBoards().data?.boards;
  return useMarkOf()(boards?.[0]);
}

/** What a board ranks by, short where it has a name that everybody knows. */
export function useMeasureName(): (rules: BoardRules) => string {
  const { t } = useLingui();
  const language = useLanguage();
  return ({ key, measure }) => (key === "relative_accuracy" ? t`OTAR, %` : inLanguage(measure, language));
}

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { HTMLAttributes, ReactNode } from "react";
import { EVERY, type GetAnswer, get, type Schemas } from "@/api/client";
import type { Language } from "@/i18n/i18n";
import clauses from "./clauses.json";
import { nameText, type Unit } from "./numbers";
import parts from "./parts.module.css";
import { ownZone } from "./time";

export type Cycle = GetAnswer<"/v1/cycle">;

export const cycleQuery = get("/v1/cycle", {}, 60_000);

export function useCycle(): Cycle | undefined {
  return useQuery(cycleQuery).data;
}

/** Measure declared by the organizers, in the form that the cycle has it. */
export interface Declared {
  unit: Unit;
  better: "higher" | "lower";
  barrier: number | "people" | null;
  program: { file: string; version: string; sha256: string };
}

/** Return the measure of a contest that has declared its own; null in any other. */
export function useDeclared(): Declared | null {
  const track = useCycle()?.parameters.track as { measure?: Declared } | undefined;
  return track?.measure ?? null;
}

/** Return the cycle's time zone; the reader's own before the platform's response. */
export function useCycleZone(): string {
  return useCycle()?.time_zone ?? ownZone();
}

export function useLanguage(): Language {
  const { i18n } = useLingui();
  return i18n.locale === "ru" ? "ru" : "en";
}

/** Return a text in the reader's language, else in English, else in the first language that it has. */
export function inLanguage(texts: Readonly<Record<string, string>>, language: Language): string {
  return texts[language] ?? texts.en ?? Object.values(texts)[0] ?? "";
}

/** Value drawn as a dashed line through every row: the barrier, or people's value. */
export interface Mark {
  at: number;
  name: string;
}

type BoardRules = Schemas["BoardRulesBody"];

const boardsQuery = get("/v1/boards", {}, EVERY.board);

/**
 * The contest's words for an item and its items, in the nominative; with a capital in `One` and `Many`. "File" before
 * the platform's response.
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

/** Return the query of the contest's boards, the main one first. */
export function useBoards() {
  return useQuery(boardsQuery);
}

/** Return the unit of the contest's results; per cent before the platform's response. */
export function useUnit(): Unit {
  return useBoards().data?.boards[0]?.unit ?? "percent";
}

/** Return a function that finds a board's barrier, named as people's level if it equals one. */
export function useMarkOf(): (rules: BoardRules | undefined) => Mark | null {
  const { t } = useLingui();
  const language = useLanguage();
  return (rules) => {
    if (!rules || rules.barrier === null) return null;
    const level = rules.levels.find(({ value }) => value === rules.barrier);
    return { at: rules.barrier, name: level ? inLanguage(level.title, language) : t`barrier` };
  };
}

/** Return the barrier of the contest's main board. */
export function useMark(): Mark | null {
  const boards = useBoards().data?.boards;
  return useMarkOf()(boards?.[0]);
}

/** Return a function that names a board's measure, by its short name if everybody knows it. */
export function useMeasureName(): (rules: BoardRules) => string {
  const { t } = useLingui();
  const language = useLanguage();
  return ({ key, measure }) => (key === "relative_accuracy" ? t`OTAR, %` : inLanguage(measure, language));
}

/** Return a function that names a group of items as the classifier does (an essay's subject), else as it is. */
export function useGroupName(enabled = true): (group: string) => string {
  const titles = codesOf(useQuery({ ...get("/v1/classifier", {}), enabled: enabled }).data)?.titles ?? {};
  const language = useLanguage();
  return (group) => inLanguage(titles[group] ?? { en: nameText(group, language) }, language);
}

/** Return a function that names a row by the table's key: codes of subjects and languages become readable names. */
export function useRowName(table: string): (cell: unknown) => string {
  const language = useLanguage();
  const groupName = useGroupName(table === "by_subject");
  return (cell) => {
    if (table === "by_subject") return groupName(String(cell));
    return table === "by_language" ? languageName(String(cell), language) : nameText(cell, language);
  };
}

/** Return the name of a language of the cycle (ISO 639 code); the code itself if it has no name. */
export function languageName(code: string, language: Language): string {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Return the tag by which browsers read a language aloud (`lang`); undefined if the name is no language's. */
export function languageTag(code: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(code)[0];
  } catch {
    return undefined;
  }
}

/** Causes for which a file does not count, in words. */
export const CAUSES: Readonly<Record<NonNullable<Schemas["DeliveryBody"]["cause"]>, MessageDescriptor>> = {
  team_late: msg`the team was late`,
  team_invalid: msg`invalid answer`,
  network: msg`network`,
  platform: msg`platform`,
  organizer_decision: msg`organizers' decision`,
};

/** Clause of a contest's regulation that the site cites; `make clauses` writes the texts from docs/clauses. */
export type Cited = keyof typeof clauses;

/** Return the clauses that the site cites from the regulation of this cycle's contest. */
export function useAllCited(): Cited[] {
  const track = useCycle()?.track;
  return (Object.keys(clauses) as Cited[]).filter((clause) => clauses[clause].contest === track);
}

/** Return the clause if this cycle's regulation has it: each contest has its own regulation. */
export function useCited(clause: Cited | undefined): Cited | undefined {
  const all = useAllCited();
  return clause && all.includes(clause) ? clause : undefined;
}

/** Return a function that returns a clause's text in the reader's language. */
export function useClauseText(): (clause: Cited) => string {
  const language = useLanguage();
  return (clause) => clauses[clause][language];
}

/** Return a clause's number within its regulation: 8.2.1 of `R 8.2.1`. */
export function numberOf(clause: Cited): string {
  return clause.replace(/^\S+ /, "");
}

/** Return a clause's anchor on the page of the rules: `r-8.2.1`. */
export function anchorOf(clause: Cited): string {
  return clause.toLowerCase().replace(" ", "-");
}

/** Show the clause that a decision is based on; its number links to the page of the rules. */
export function Clause({ clause, id }: { clause: Cited; id?: string }) {
  const said = useClauseText()(clause);
  const number = numberOf(clause);
  return (
    <p id={id} className={parts.clause}>
      <Trans>
        <a href={`/rules#${anchorOf(clause)}`} target="_blank" rel="noopener">
          Clause {number} of the regulation
        </a>
        : {said}
      </Trans>
    </p>
  );
}

/** Show a clause if this cycle's regulation has it, otherwise nothing. */
export function By({ clause }: { clause: Cited }) {
  const cited = useCited(clause);
  return cited && <Clause clause={cited} />;
}

/** Message of the platform in both languages. */
export interface Message {
  readonly message?: string;
  readonly message_ru?: string;
}

/** Return a function that returns a message in the reader's language. */
export function useMessage(): (of: Message) => string {
  const language = useLanguage();
  return ({ message, message_ru: russian }) => (language === "ru" && russian) || message || "";
}

/** Paragraph with a message of the platform, where there is one. */
export function Note({ of, ...rest }: { of: Message | null | undefined } & HTMLAttributes<HTMLParagraphElement>) {
  const text = useMessage();
  return of && <p {...rest}>{text(of)}</p>;
}

interface MessageListProps<M extends Message> {
  of: readonly M[];
  className?: string | undefined;
  /** Prefix of a message: the place that it is about. */
  place?: (of: M) => ReactNode;
}

/** List of the platform's messages; nothing where there are none. */
export function MessageList<M extends Message>({ of, className, place }: MessageListProps<M>) {
  const text = useMessage();
  if (of.length === 0) return null;
  return (
    <ul className={className}>
      {of.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same message may stand in a list twice
        <li key={at}>
          {place?.(message)}
          {text(message)}
        </li>
      ))}
    </ul>
  );
}

/** The documents that the organizers name in the cycle; nothing where there are none. Clause: D 8.19, D 6.2.1 */
export function KnowledgeBase({ cycle }: { cycle: Cycle }) {
  const { t } = useLingui();
  const language = useLanguage();
  if (cycle.knowledge_base.length === 0) return null;
  return (
    <>
      <h2 id="knowledge">{t`Knowledge base`}</h2>
      <ul>
        {cycle.knowledge_base.map((document) => (
          <li key={document.url + inLanguage(document.title, language)}>
            <a href={document.url} rel="noreferrer">
              {inLanguage(document.title, language)}
            </a>
            {document.about && <> — {inLanguage(document.about, language)}</>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Return the codes of a contest whose answers are annotations; null for any other, and before the response. */
export function codesOf(answer: GetAnswer<"/v1/classifier"> | undefined): Schemas["Classifier"] | null {
  return answer && "subjects" in answer.classifier ? answer.classifier : null;
}

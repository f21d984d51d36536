import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useMemo, useRef } from "react";
import { EVERY, get, type Schemas } from "@/api/client";
import { useSession } from "@/auth/hooks";
import { byAgreement, KINDS, nameOf, type Row, rowsOf } from "@/text/drawn";
import { type Fragment, fromSent, type SentMarkup } from "@/text/markup";
import { useLanguage } from "@/ui/contest";
import { Button, CopyButton, PHONE, useMedia } from "@/ui/controls";
import { useKeyHelp, useLetters } from "@/ui/keys";
import { accuracy } from "@/ui/numbers";
import { AskedPage } from "@/ui/Page";
import styles from "./comparison.module.css";
import { Details, Kinds, MetricInFull, Metrics, Near, Pairs } from "./Details";
import { isMarkup, Legend, useFamilies, Values } from "./Families";
import { Texts } from "./Texts";

/** Page that compares markups of one essay: their differences, each with its kind and its loss. */
export function ComparisonPage() {
  const { t } = useLingui();
  const { sessionId, number } = useParams({ from: "/sessions/$sessionId/files/$number/comparison" });
  const { x, y } = useSearch({ from: "/sessions/$sessionId/files/$number/comparison" });
  const file = { sessionId, number: Number(number) };
  const compared = useCompared(file, { x, y });
  const answered = compared.data && isBeside(compared.data) ? compared.data : null;
  const title =
    answered && !isCompared(answered)
      ? t`File ${number}: the answer beside the references`
      : t`File ${number}: comparison of markups`;
  return (
    <AskedPage title={title} of={compared}>
      {(answer) => {
        if (!isBeside(answer)) return <InTheMaking scoring={answer as Scoring} />;
        if (!isCompared(answer)) return <OtherContest of={answer} />;
        const pair = answer.comparisons[0];
        return pair ? (
          <Shown file={file} of={answer} pair={pair} />
        ) : (
          <p>{t`No expert has annotated this file yet, so there is no comparison.`}</p>
        );
      }}
    </AskedPage>
  );
}

/** Answer of a contest without markups, beside the references, with its score. */
function OtherContest({ of: { answer, experts, score } }: { of: Beside }) {
  const { t } = useLingui();
  const references = experts.map((expert, place) => [t`Reference ${place + 1}`, expert] as const);
  return <Values of={[[t`Answer`, answer], ...references, [t`Score`, score]]} />;
}

function InTheMaking({ scoring }: { scoring: Scoring }) {
  const { t } = useLingui();
  const { scored, files } = scoring;
  return (
    <p role="status">
      {scoring.status === "rating" ? (
        t`Experts are still rating the explanations; the comparison appears here by itself.`
      ) : (
        <Trans>
          Scoring continues: {scored} of <Plural value={files} one="# file" other="# files" /> scored. The comparison
          appears here by itself.
        </Trans>
      )}
    </p>
  );
}

const ROUTE = "/sessions/$sessionId/files/$number/comparison";
/** Change of the address's parameters; undefined removes a parameter. */
type Change = { [name in keyof Search]?: Search[name] | undefined };

/**
 * Comparison of the pair that the address names: its differences, one of them in full, the metrics, a third markup.
 *
 * Clause: R 2.21, platform §8 viewer
 */
export function Shown({ file, of, pair }: { file: File; of: Compared; pair: Pair }) {
  const { t } = useLingui();
  const search = useSearch({ from: ROUTE });
  const go = useChange();
  const details = useRef<HTMLElement>(null);
  const kindsBar = useRef<HTMLDivElement>(null);
  const wide = useMedia(WIDE);
  const x = useMarkup(of, pair.x);
  const y = useMarkup(of, pair.y);
  const third = othersOf(pair, of).find((which) => String(which) === search.z) ?? null;
  const thirdDrawn = useMarkup(of, third);
  const couples = useCouples(file, of.experts.length);
  const all = useMemo(() => rowsOf(pair.comparison, x.map(startOf), y.map(startOf)), [pair, x, y]);
  const kinds = useMemo(() => new Set(KINDS.filter((kind) => search.k?.split(",").includes(kind))), [search.k]);
  const rows = useMemo(() => (kinds.size === 0 ? all : all.filter((row) => kinds.has(row.kind))), [all, kinds]);
  const active = rows.find((row) => nameOf(row) === search.f) ?? null;
  const beside = third === null && (search.view ?? (wide ? "beside" : "overlaid")) === "beside";
  const pick = (row: Row) => go({ f: nameOf(row) });
  const close = () => {
    document.querySelector<HTMLElement>("main [role=document]")?.focus({ preventScroll: true });
    go({ f: undefined });
  };
  const choose = (chosen: { x: Which; y: Which }) =>
    go({ x: String(chosen.x), y: String(chosen.y), f: undefined, z: undefined });
  const swap = () => choose({ x: pair.y, y: pair.x });
  const families = useFamilies(of.answer.meta.subject, search.c === "families");
  const paint = () => go({ c: search.c ? undefined : "families" });
  const toggle = () => go({ view: beside ? "overlaid" : "beside", z: undefined });
  const chooseMetric = (name: string) => go({ m: search.m === name ? undefined : name });
  const turnThird = () => {
    const others = othersOf(pair, of);
    const next = others[third === null ? 0 : others.indexOf(third) + 1];
    go({ z: next === undefined ? undefined : String(next) });
  };
  const step = (by: 1 | -1, alike: boolean) => {
    const among = rows.filter((row) => (alike && active ? row.kind === active.kind : row.kind !== "same"));
    const next = neighbour(among, active, all, by);
    if (next) pick(next);
  };
  const digits = [1, 2, 3, 4, 5, 6, 7].map((digit) => [`Digit${digit}`, () => chooseMetric(`M${digit}`)] as const);
  usePageKeys(
    new Map<string, (event: KeyboardEvent) => void>([
      ["KeyJ", (event) => step(1, event.shiftKey)],
      ["KeyK", (event) => step(-1, event.shiftKey)],
      ["KeyO", toggle],
      ["KeyX", swap],
      ["KeyT", turnThird],
      ["KeyP", paint],
      ["KeyF", () => kindsBar.current?.querySelector("button")?.focus()],
      ["KeyC", () => void navigator.clipboard.writeText(location.href)],
      ["Enter", () => details.current?.focus({ preventScroll: true })],
      ...digits,
    ]),
  );
  useKeyHelp([
    { keys: "j, k", does: t`next, previous difference` },
    { keys: "Shift+j, Shift+k", does: t`next, previous of the same kind` },
    { keys: "Enter", does: t`differences of the two` },
    { keys: "f", does: t`choose the visible kinds` },
    { keys: "o", does: t`one text, two texts` },
    { keys: "x", does: t`swap the sides` },
    { keys: "t", does: t`add a third annotation` },
    { keys: "p", does: t`colours by agreement, by family of codes` },
    { keys: "c", does: t`copy a link to this very place` },
    { keys: "1 … 7", does: t`explain a metric` },
  ]);
  const shared = { text: of.answer.text, x, y, active, pick };
  const { comparison } = pair;
  const metric = search.m ? { name: search.m, of: comparison.metrics[search.m as "M1"] } : null;
  return (
    <div className={styles.screen}>
      <div className={styles.texts}>
        <Options>
          <Tools
            pair={pair}
            couples={couples}
            others={othersOf(pair, of)}
            third={third}
            beside={beside}
            agreement={search.c === undefined}
            {...{ choose, swap, toggle, paint }}
            draw={(which) => go({ z: which === third ? undefined : String(which) })}
          />
          <Kinds ref={kindsBar} rows={all} chosen={kinds} choose={(k) => go({ k, f: undefined })} />
          <Legend families={families} fragments={[...x, ...y]} />
        </Options>
        <Texts
          {...shared}
          rows={rows}
          third={third === null ? null : thirdDrawn}
          look={families.known?.look ?? byAgreement}
          agreement={!families.known}
          beside={beside}
        />
      </div>
      <div className={styles.side}>
        <Metrics comparison={comparison} chosen={search.m ?? null} choose={chooseMetric} />
        <Details
          ref={details}
          {...shared}
          {...{ metric, close }}
          comparison={comparison}
          step={(by: 1 | -1) => step(by, false)}
        />
        <MetricInFull name={search.m ?? null} comparison={comparison} />
      </div>
      <div className={styles.lists}>
        <Near comparison={comparison} rows={all} {...shared} />
        <Pairs {...shared} rows={rows} filtered={rows.length < all.length} metric={metric} />
      </div>
    </div>
  );
}

/** Controls of the view; folded on a phone, so that the text begins on the first screen. */
function Options({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  const folded = useMedia(PHONE);
  if (!folded) return children;
  return (
    <details className={styles.options}>
      <summary>{t`Choose annotations, kinds and colours`}</summary>
      {children}
    </details>
  );
}

/** Return a function that changes the address in place and removes undefined parameters. */
function useChange(): (change: Change) => void {
  const navigate = useNavigate({ from: ROUTE });
  return (change) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(
          Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined),
        ) as Search,
      replace: true,
      resetScroll: false,
    });
}

function useMarkup(comparison: Compared, which: Which | null): readonly Fragment[] {
  return useMemo(() => {
    if (which === null) return [];
    return fromSent((which === ANSWER ? comparison.answer : comparison.experts[Number(which)]) as SentMarkup);
  }, [comparison, which]);
}

function othersOf({ x, y }: Pair, comparison: Compared): Which[] {
  const all: Which[] = [ANSWER, ...comparison.experts.map((_, place) => place)];
  return all.filter((which) => which !== x && which !== y);
}

/** Return the next or previous of some rows in text order, wrapping at the ends; the active row may be outside them. */
function neighbour(among: readonly Row[], active: Row | null, all: readonly Row[], by: 1 | -1): Row | undefined {
  const ordered = by > 0 ? among : [...among].reverse();
  if (!active) return ordered[0];
  const at = (row: Row) => all.indexOf(row) * by;
  return ordered.find((row) => at(row) > at(active)) ?? ordered[0];
}

function startOf({ start }: Fragment): number {
  return start;
}

interface ToolsProps {
  pair: Pair;
  couples: readonly Couple[];
  others: readonly Which[];
  third: Which | null;
  beside: boolean;
  choose: (couple: { x: Which; y: Which }) => void;
  swap: () => void;
  toggle: () => void;
  agreement: boolean;
  paint: () => void;
  draw: (which: Which) => void;
}

/** Toolbar of the comparison: the compared pair, and each pair with its accuracy. */
function Tools({ pair, couples, others, third, beside, choose, swap, toggle, agreement, paint, draw }: ToolsProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const name = useName();
  const isChosen = ({ x, y }: Couple) => (x === pair.x && y === pair.y) || (x === pair.y && y === pair.x);
  return (
    <>
      <div className={styles.tools}>
        <span>
          X: <b>{name(pair.x)}</b> · Y: <b>{name(pair.y)}</b>
        </span>
        <Button onPress={swap}>{t`Swap`}</Button>
        <Button onPress={toggle}>{beside ? t`One text` : t`Two texts`}</Button>
        <Button onPress={paint}>{agreement ? t`Colours by family of codes` : t`Colours by agreement`}</Button>
        <CopyButton text={location.href} what={t`a link to this very place`} />
      </div>
      {couples.length > 1 && (
        <div className={styles.chips} role="toolbar" aria-label={t`Compared pair of annotations and its accuracy`}>
          {couples.map((couple) => (
            <button
              key={`${couple.x} ${couple.y}`}
              type="button"
              aria-pressed={isChosen(couple)}
              onClick={() => choose(couple)}
            >
              {name(couple.x)} – {name(couple.y)}
              {couple.found && <b> {accuracy(couple.found.pair_accuracy, language)} %</b>}
            </button>
          ))}
          {others.map((which) => (
            <button key={which} type="button" aria-pressed={which === third} onClick={() => draw(which)}>
              + {name(which)}
              <span className="sr-only">
                {": "}
                {t`add as third annotation`}
              </span>
            </button>
          ))}
        </div>
      )}
      {third !== null && (
        <p role="status">{t`The grey lines, lowest under the text, are the third annotation: ${name(third)}.`}</p>
      )}
    </>
  );
}

/** Return a function that names a markup by its author; experts have numbers, never names. */
function useName(): (which: Which) => string {
  const { t } = useLingui();
  return (which) => (which === ANSWER ? t`the program's answer` : t`expert ${Number(which) + 1}`);
}

/** Answer of any contest, beside the references. */
export type Beside = Schemas["ComparisonBody"];
/** The same for a contest whose answers are markups. */
export type Compared = Schemas["EssayComparisonBody"];
/** Progress of the scoring, while there is nothing to compare yet. */
export type Scoring = Schemas["ScoringBody"];
export type Pair = Compared["comparisons"][number];
/** One of a file's markups: the program's answer, or an expert's markup by its index. */
export type Which = Pair["x"];

const ANSWER = "answer";

export interface File {
  sessionId: string;
  number: number;
}

function isBeside(answer: unknown): answer is Beside {
  return typeof answer === "object" && answer !== null && "comparisons" in answer;
}

function isCompared(answer: unknown): answer is Compared {
  return isBeside(answer) && isMarkup(answer.answer);
}

/** Fetch the pair that the address names, by default the answer with every expert; poll until the scores exist. */
function useCompared(file: File, pair: { x?: string | undefined; y?: string | undefined }) {
  const session = useSession();
  return useQuery({
    ...asked(file, pair),
    enabled: session.state !== "coming",
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.error || isBeside(state.data) ? false : EVERY.jobs),
  });
}

interface Couple {
  x: Which;
  y: Which;
  /** The platform's comparison of the two; undefined until it is fetched, null if it is not defined. */
  found: Pair["comparison"] | undefined;
}

function useCouples(file: File, experts: number): Couple[] {
  const places = Array.from({ length: experts }, (_, place) => place);
  const among = places.flatMap((x) => places.slice(x + 1).map((y) => ({ x, y })));
  const answers = useQueries({
    queries: [asked(file, {}), ...among.map(({ x, y }) => asked(file, { x: String(x), y: String(y) }))],
  });
  const pairs = answers.flatMap(({ data }) => (isCompared(data) ? data.comparisons : []));
  const couples: { x: Which; y: Which }[] = [...places.map((y) => ({ x: ANSWER, y }) as const), ...among];
  return couples.map((couple) => ({
    ...couple,
    found: pairs.find((other) => other.x === couple.x && other.y === couple.y)?.comparison,
  }));
}

function asked({ sessionId, number }: File, { x, y }: { x?: string | undefined; y?: string | undefined }) {
  const path = { session_id: sessionId, number };
  const query = { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) };
  return get("/v1/sessions/{session_id}/files/{number}/comparison", { ...path, ...query });
}

export interface Search {
  /** The two markups: `answer`, or an expert's markup by its index. */
  x?: string;
  y?: string;
  /** Active fragment, such as X3 or Y1. */
  f?: string;
  /** Explained metric, such as M2. */
  m?: string;
  view?: View;
  z?: string;
  /** Meaning of the colours, if not agreement. */
  c?: "families";
  /** Shown kinds of agreement, separated by commas; all kinds if absent. */
  k?: string;
}

export type View = "beside" | "overlaid";

/** Handle the page's keys by their physical position; Enter is left to a focused button, link or summary. */
export function usePageKeys(keys: ReadonlyMap<string, (event: KeyboardEvent) => void>): void {
  useLetters((event) => {
    if (event.code === "Enter" && (event.target as Element).closest("button, a, summary")) return false;
    const work = keys.get(event.code);
    work?.(event);
    return work !== undefined;
  });
}

/** Media query of windows that fit two texts side by side, with the details beside both. */
const WIDE = "(min-width: 1400px)";

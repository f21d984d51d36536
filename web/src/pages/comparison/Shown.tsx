import { useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { byAgreement } from "@/text/drawnPairs";
import { type Fragment, fromSent, type SentMarkup } from "@/text/markup";
import { KINDS, type Kind, nameOf, type Row, rowsOf } from "@/text/pairs";
import { useKeyHelp } from "@/ui/keys";
import { ANSWER, type Compared, type File, type Pair, useCouples, type Which } from "./comparisonData";
import { Details } from "./Details";
import { Legend, useFamilies } from "./Families";
import { Kinds } from "./Kinds";
import { Metrics } from "./Metrics";
import { Near } from "./Near";
import { Pairs } from "./Pairs";
import type { Search } from "./routes";
import { Texts } from "./Texts";
import { Tools } from "./Tools";
import { usePageKeys, useWide } from "./usePageKeys";

const ROUTE = "/sessions/$sessionId/files/$number/comparison";
/** What a change says of the parameters that it takes away. */
type Change = { [name in keyof Search]?: Search[name] | undefined };

/**
 * A pair as the address says: its differences, one of them in full, the metrics, perhaps a third markup.
 *
 * Clause: R 2.21, platform §8 viewer
 */
export function Shown({ file, of, pair }: { file: File; of: Compared; pair: Pair }) {
  const { t } = useLingui();
  const search = useSearch({ from: ROUTE });
  const go = useChange();
  const details = useRef<HTMLElement>(null);
  const kindsBar = useRef<HTMLDivElement>(null);
  const wide = useWide();
  const x = useMarkup(of, pair.x);
  const y = useMarkup(of, pair.y);
  const third = thirdOf(search.z, pair, of);
  const thirdDrawn = useMarkup(of, third);
  const couples = useCouples(file, of.experts.length);
  const all = useMemo(() => rowsOf(pair.comparison, x.map(startOf), y.map(startOf)), [pair, x, y]);
  const kinds = useMemo(() => kindsIn(search.k), [search.k]);
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
  const metric = (name: string) => go({ m: search.m === name ? undefined : name });
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
  const digits = [1, 2, 3, 4, 5, 6, 7].map((digit) => [`Digit${digit}`, () => metric(`M${digit}`)] as const);
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
      ["Enter", () => details.current?.focus()],
      ...digits,
    ]),
  );
  useKeyHelp([
    { keys: "j, k", does: t`next, previous difference` },
    { keys: "Shift+j, Shift+k", does: t`next, previous of the same kind` },
    { keys: "Enter", does: t`what the two differ in` },
    { keys: "f", does: t`choose the kinds that are shown` },
    { keys: "o", does: t`one text, two texts` },
    { keys: "x", does: t`swap the sides` },
    { keys: "t", does: t`draw a third markup` },
    { keys: "p", does: t`colours by agreement, by family of codes` },
    { keys: "c", does: t`copy a link to this very place` },
    { keys: "1 … 7", does: t`explain a metric` },
  ]);
  const shared = { text: of.answer.text, x, y, active, pick };
  return (
    <>
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
      <Metrics of={pair.comparison} chosen={search.m ?? null} choose={metric} />
      <Legend of={families} fragments={[...x, ...y]} />
      <Texts
        {...shared}
        rows={rows}
        third={third === null ? null : thirdDrawn}
        look={families.known?.look ?? byAgreement}
        agreement={!families.known}
        beside={beside}
      />
      <Details ref={details} {...shared} of={pair.comparison} close={close} />
      <Near of={pair.comparison} rows={all} {...shared} />
      <Pairs
        {...shared}
        rows={rows}
        filtered={rows.length < all.length}
        metric={search.m ? { name: search.m, of: pair.comparison.metrics[search.m as "M1"] } : null}
      />
    </>
  );
}

/** Changes the address in place; a parameter that becomes undefined goes. */
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

function useMarkup(of: Compared, which: Which | null): readonly Fragment[] {
  return useMemo(() => {
    if (which === null) return [];
    return fromSent((which === ANSWER ? of.answer : of.experts[Number(which)]) as SentMarkup);
  }, [of, which]);
}

function othersOf({ x, y }: Pair, of: Compared): Which[] {
  const all: Which[] = [ANSWER, ...of.experts.map((_, place) => place)];
  return all.filter((which) => which !== x && which !== y);
}

function thirdOf(named: string | undefined, pair: Pair, of: Compared): Which | null {
  return othersOf(pair, of).find((which) => String(which) === named) ?? null;
}

function kindsIn(said: string | undefined): ReadonlySet<Kind> {
  const named = said?.split(",") ?? [];
  return new Set(KINDS.filter((kind) => named.includes(kind)));
}

/** The next of some rows in the text's order, round the end; from a row that is not among them, the nearest. */
function neighbour(among: readonly Row[], active: Row | null, all: readonly Row[], by: 1 | -1): Row | undefined {
  const ordered = by > 0 ? among : [...among].reverse();
  if (!active) return ordered[0];
  const at = (row: Row) => all.indexOf(row) * by;
  return ordered.find((row) => at(row) > at(active)) ?? ordered[0];
}

function startOf({ start }: Fragment): number {
  return start;
}

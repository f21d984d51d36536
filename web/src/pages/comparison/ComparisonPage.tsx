import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import type { Schemas } from "@/api/client";
import { get } from "@/api/queries";
import { useSession } from "@/auth/hooks";
import { type Fragment, fromSent, type SentMarkup } from "@/text/markup";
import { nameOf, type Row, rowsOf } from "@/text/pairs";
import { Answered } from "@/ui/Answered";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { isTyping, useKeyHelp } from "@/ui/keys";
import { Page } from "@/ui/Page";
import styles from "./comparison.module.css";
import { Metrics } from "./Metrics";
import { Pairs } from "./Pairs";
import type { Search } from "./routes";
import { Texts } from "./Texts";

type Answer = Schemas["EssayComparisonBody"];

/** Two markups of one essay: where they differ, of which kind, and what each difference cost. */
export function ComparisonPage() {
  const { t } = useLingui();
  const session = useSession();
  const { sessionId, number } = useParams({ from: "/sessions/$sessionId/files/$number/comparison" });
  const { x, y } = useSearch({ from: "/sessions/$sessionId/files/$number/comparison" });
  const path = { session_id: sessionId, number: Number(number) };
  const query = { ...(x ? { x } : {}), ...(y ? { y } : {}) };
  const asked = get("/v1/sessions/{session_id}/files/{number}/comparison", { params: { path, query } });
  const found = useQuery({ ...asked, enabled: session.state !== "coming" });
  return (
    <Page title={t`File ${number}: comparison of markups`}>
      <Answered of={found}>{(answer) => <Comparison of={answer as Answer} />}</Answered>
    </Page>
  );
}

function Comparison({ of }: { of: Answer }) {
  const search = useSearch({ from: "/sessions/$sessionId/files/$number/comparison" });
  const shown = of.comparisons[0];
  const sides = useMemo(() => {
    if (!shown) return null;
    const markup = (which: number | string) =>
      (which === "answer" ? of.answer : of.experts[Number(which)]) as SentMarkup;
    return { x: fromSent(markup(shown.x)), y: fromSent(markup(shown.y)) };
  }, [of, shown]);
  if (!shown || !sides) {
    return (
      <p>
        <Trans>No expert's markup of this file is here yet, so there is nothing to compare it with.</Trans>
      </p>
    );
  }
  const rows = rowsOf(
    shown.comparison,
    sides.x.map((each) => each.start),
    sides.y.map((each) => each.start),
  );
  return <Shown of={of} pair={shown} rows={rows} {...sides} search={search} />;
}

interface ShownProps {
  of: Answer;
  pair: Schemas["EssayPairComparison"];
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  search: Search;
}

function Shown({ of, pair, rows, x, y, search }: ShownProps) {
  const { t } = useLingui();
  const navigate = useNavigate({ from: "/sessions/$sessionId/files/$number/comparison" });
  const go = (change: Partial<Search>) =>
    void navigate({ search: { ...search, ...change }, replace: true, resetScroll: false });
  const active = rows.find((row) => nameOf(row) === search.f) ?? null;
  const differing = rows.filter((row) => row.kind !== "same");
  const step = (by: 1 | -1) => {
    const at = active ? differing.indexOf(active) : -1;
    const next =
      differing[at < 0 ? (by > 0 ? 0 : differing.length - 1) : (at + by + differing.length) % differing.length];
    if (next) go({ f: nameOf(next) });
  };
  const besides = search.view === "beside";
  const toggle = () => {
    const { view: _, ...rest } = search;
    void navigate({ search: besides ? rest : { ...rest, view: "beside" }, replace: true, resetScroll: false });
  };
  const swap = () => {
    const { f: _, ...rest } = search;
    void navigate({ search: { ...rest, x: String(pair.y), y: String(pair.x) }, replace: true });
  };
  const against = (place: number) => {
    const { f: _, ...rest } = search;
    void navigate({ search: { ...rest, x: "answer", y: String(place) }, replace: true });
  };
  usePageKeys(
    new Map([
      ["KeyJ", () => step(1)],
      ["KeyK", () => step(-1)],
      ["KeyO", toggle],
      ["KeyX", swap],
      ...["1", "2", "3", "4", "5", "6", "7"].map((digit) => [`Digit${digit}`, () => go({ m: `M${digit}` })] as const),
    ]),
  );
  useKeyHelp([
    { keys: "j, k", does: t`next, previous difference` },
    { keys: "o", does: t`one text, two texts` },
    { keys: "x", does: t`swap the sides` },
    { keys: "1 … 7", does: t`explain a metric` },
  ]);
  const name = (which: number | string) =>
    which === "answer" ? t`the program's answer` : t`expert ${Number(which) + 1}`;
  return (
    <>
      <div className={styles.tools}>
        <span>
          X: <b>{name(pair.x)}</b> · Y: <b>{name(pair.y)}</b>
        </span>
        <Button onPress={swap}>
          <Trans>Swap</Trans>
        </Button>
        {of.experts.length > 1 &&
          of.experts.map((_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an expert is known by the place alone
            <Button key={place} onPress={() => against(place)}>
              <Trans>Against expert {place + 1}</Trans>
            </Button>
          ))}
        <Button onPress={toggle}>{besides ? <Trans>One text</Trans> : <Trans>Two texts</Trans>}</Button>
        <CopyButton text={location.href} what={t`a link to this very place`} />
      </div>
      <Metrics of={pair.comparison} chosen={search.m ?? null} choose={(m) => go({ m })} />
      <Texts
        text={of.answer.text}
        rows={rows}
        x={x}
        y={y}
        active={active}
        beside={besides}
        pick={(row) => go({ f: nameOf(row) })}
      />
      <Pairs
        text={of.answer.text}
        rows={rows}
        x={x}
        y={y}
        active={active}
        metric={search.m ? { name: search.m, of: pair.comparison.metrics[search.m as "M1"] } : null}
        pick={(row) => go({ f: nameOf(row) })}
      />
    </>
  );
}

function usePageKeys(keys: ReadonlyMap<string, () => void>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      const work = keys.get(event.code);
      if (!work) return;
      event.preventDefault();
      work();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
}

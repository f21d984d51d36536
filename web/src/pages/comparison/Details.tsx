import { Trans, useLingui } from "@lingui/react/macro";
import type { Ref } from "react";
import type { Schemas } from "@/api/client";
import { KINDS, type Kind, nameOf, type Row, SIGNS, toneOf } from "@/text/drawn";
import type { Fragment } from "@/text/markup";
import { useQuestions } from "@/text/ratings";
import { useLanguage } from "@/ui/contest";
import { Button, Sheet } from "@/ui/controls";
import { accuracy, decimal, placesApart } from "@/ui/numbers";
import { PageSection } from "@/ui/Page";
import { Table } from "@/ui/Table";
import styles from "./comparison.module.css";
import { Quote } from "./Families";

type Compared = Schemas["Comparison"];
type Matched = Schemas["MatchedPair"];

const LEAST_PLACES = 2;
/** Loss (L) from which two fragments do not form a pair. */
const LEAST_OF_NO_PAIR = 2;
const NOTHING = "—";

interface DetailsProps {
  text: string;
  comparison: Compared;
  x: readonly Fragment[];
  y: readonly Fragment[];
  active: Row | null;
  metric: ChosenMetric | null;
  close: () => void;
  step: (by: 1 | -1) => void;
  ref: Ref<HTMLElement>;
}

interface ChosenMetric {
  name: string;
  of: Schemas["MetricOfPair"];
}

/** Active pair: its loss and the fields that differ; for an unpaired fragment, the reason why it has no pair. */
export function Details({ text, comparison, x, y, active, metric, close, step, ref }: DetailsProps) {
  const { t } = useLingui();
  const gained = useGained(metric);
  if (!active) {
    return (
      <section ref={ref} tabIndex={-1} className={styles.details}>
        <Steps go={step} />
        <p>{t`Choose a pair in the text or in the table to see how its two fragments differ.`}</p>
      </section>
    );
  }
  const pair = comparison.pairs.find((pair) => pair.x === active.x && pair.y === active.y);
  const near = comparison.near.find((pair) => pair.x === active.x || pair.y === active.y);
  const one = active.x === null ? undefined : x[active.x];
  const other = active.y === null ? undefined : y[active.y];
  return (
    <Sheet ref={ref} labelledBy="details" close={close} className={styles.details}>
      <h2 id="details" data-family={toneOf(active.kind)}>
        <span aria-hidden="true" className={styles.sign}>
          {SIGNS[active.kind]}
        </span>{" "}
        {nameOf(active)}: <KindName kind={active.kind} />
      </h2>
      <Steps go={step} />
      {pair && <Costs miss={pair} matched />}
      {!pair && near && (
        <>
          <p>
            {t`It overlaps a fragment of the other side, but the two do not form a pair:`}{" "}
            <Quote text={text} fragment={active.x === null ? x[near.x] : y[near.y]} />
          </p>
          <Costs miss={near} matched={false} />
        </>
      )}
      {!pair && !near && <p>{t`No unpaired fragment of the other side overlaps it.`}</p>}
      {metric && gained(active) !== NOTHING && (
        <p>
          <Trans>Gained for {metric.name}</Trans>: {gained(active)}
        </p>
      )}
      <Fields one={one} other={other} pair={pair} />
    </Sheet>
  );
}

/** Buttons for J and K, for devices without a keyboard. */
function Steps({ go }: { go: (by: 1 | -1) => void }) {
  const { t } = useLingui();
  return (
    <div className={styles.steps}>
      <Button aria-label={t`Previous difference`} onPress={() => go(-1)}>
        ↑
      </Button>
      <Button aria-label={t`Next difference`} onPress={() => go(1)}>
        ↓
      </Button>
    </div>
  );
}

function useGained(metric: ChosenMetric | null): (row: Row) => string {
  const language = useLanguage();
  return (row) => {
    const gained = [
      row.x === null ? undefined : metric?.of.gained_x[row.x],
      row.y === null ? undefined : metric?.of.gained_y[row.y],
    ].filter((number) => number !== null && number !== undefined);
    return gained.length === 0 ? NOTHING : gained.map((number) => decimal(number, 2, language, 0)).join(" + ");
  };
}

/** Loss (L) and its components; every number is computed by the platform. */
function Costs({ miss, matched }: { miss: Matched | Schemas["NearMiss"]; matched: boolean }) {
  const { t } = useLingui();
  const language = useLanguage();
  // J has limits at 0 and 1, L at 2: neither is rounded up to a limit that it does not reach.
  const number = (value: number, limits: number[]) =>
    decimal(value, placesApart([value], limits, LEAST_PLACES), language, 0);
  const [place, start, code] = [number(miss.j, [0, 1]), Number(miss.start_differs), Number(miss.code_differs)];
  const loss = number(miss.loss, [0, LEAST_OF_NO_PAIR]);
  return (
    <p>
      {matched ? (
        t`Place ${place}, start ${start}, code ${code}: L = ${loss}, less than 2, so the two are a pair.`
      ) : (
        <Trans>
          Place {place}, start {start}, code {code}: L = {loss}; two fragments with a loss of 2 or more do not form a
          pair.
        </Trans>
      )}
      {"group_differs" in miss &&
        miss.group_differs &&
        ` ${t`They are of different groups: one is an error, the other a block of meaning.`}`}
    </p>
  );
}

function Fields({
  one,
  other,
  pair,
}: {
  one: Fragment | undefined;
  other: Fragment | undefined;
  pair: Matched | undefined;
}) {
  const { t } = useLingui();
  const common = pair && `${pair.common_words}/${pair.all_words}`;
  const rows: readonly (readonly [title: string, ...(string | undefined)[]])[] = [
    [t`Code`, one?.code, other?.code],
    [t`Subtype`, one?.subtype, other?.subtype, pair?.subtype],
    [t`Comment`, one?.comment, other?.comment, pair?.comment],
    [t`Correction`, one?.correction, other?.correction, pair?.correction],
    [t`Explanation`, one?.explanation, other?.explanation],
  ];
  return (
    <>
      {common && <p>{t`Words in common: ${common}`}</p>}
      <dl className={styles.fields}>
        {rows
          .filter(([, first, second]) => first || second)
          .map(([title, first, second, likeness]) => (
            <div key={title}>
              <dt>
                {title}
                {likeness && (
                  <>
                    : <Likeness of={likeness} />
                  </>
                )}
              </dt>
              <dd>
                <b>X</b> {first || NOTHING}
              </dd>
              <dd>
                <b>Y</b> {second || NOTHING}
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
}

function Likeness({ of }: { of: string }) {
  const { t } = useLingui();
  const words: Record<string, string> = { equal: t`equal`, paraphrase: t`a paraphrase`, differs: t`differs` };
  return words[of] ?? t`neither has one`;
}

interface NearProps {
  text: string;
  comparison: Schemas["Comparison"];
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  pick: (row: Row) => void;
}

/** Fragments that overlap but do not form a pair, with the reason. */
export function Near({ text, comparison, rows, x, y, pick }: NearProps) {
  const { t } = useLingui();
  if (comparison.near.length === 0) return null;
  return (
    <details className={styles.near}>
      <summary>{t`Overlapping, but not a pair: ${comparison.near.length}`}</summary>
      <ul>
        {comparison.near.map((pair) => {
          const row = rows.find((other) => other.x === pair.x);
          return (
            <li key={pair.x}>
              {row && (
                <button type="button" className={styles.link} onClick={() => pick(row)}>
                  {nameOf(row)}
                </button>
              )}{" "}
              <Quote text={text} fragment={x[pair.x]} /> ↔ <Quote text={text} fragment={y[pair.y]} />
              <Costs miss={pair} matched={false} />
            </li>
          );
        })}
      </ul>
    </details>
  );
}

interface PairsProps {
  text: string;
  rows: readonly Row[];
  x: readonly Fragment[];
  y: readonly Fragment[];
  active: Row | null;
  /** True if the chosen kinds exclude some rows. */
  filtered: boolean;
  metric: ChosenMetric | null;
  pick: (row: Row) => void;
}

/** Table of all pairs and unpaired fragments: the primary view, which the text illustrates. */
export function Pairs({ text, rows, x, y, active, filtered, metric, pick }: PairsProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const gained = useGained(metric);
  return (
    <Table
      folds
      tableProps={{ className: styles.pairs }}
      caption={t`Pairs, and fragments without one, in the order of the text`}
      empty={filtered ? t`No fragments of the chosen kinds.` : t`Neither of the two has any fragments.`}
      rows={rows}
      rowKey={nameOf}
      rowProps={(row) => ({ "aria-current": row === active || undefined, "data-family": toneOf(row.kind) })}
      columns={[
        {
          header: t`Kind`,
          cell: (row) => (
            <button type="button" className={styles.link} onClick={() => pick(row)}>
              <span aria-hidden="true">{SIGNS[row.kind]} </span>
              <KindName kind={row.kind} />
            </button>
          ),
        },
        { header: "X", cell: (row) => <Quote text={text} fragment={row.x === null ? undefined : x[row.x]} /> },
        { header: "Y", cell: (row) => <Quote text={text} fragment={row.y === null ? undefined : y[row.y]} /> },
        {
          header: t`Loss`,
          cell: ({ loss }) => (loss === null ? "—" : decimal(loss, placesApart([loss], [0, 2], 2), language, 0)),
        },
        metric && { header: t`Gained for ${metric.name}`, cell: gained },
      ]}
    />
  );
}

interface KindsProps {
  rows: readonly Row[];
  /** Chosen kinds; if empty, all are shown. */
  chosen: ReadonlySet<Kind>;
  choose: (choice: string | undefined) => void;
  ref: Ref<HTMLDivElement>;
}

/** Counts of each kind; a press shows that kind alone, further presses add others. */
export function Kinds({ rows, chosen, choose, ref }: KindsProps) {
  const { t } = useLingui();
  const turn = (kind: Kind) => {
    const next = KINDS.filter((other) => chosen.has(other) !== (other === kind));
    choose(next.length === 0 ? undefined : next.join(","));
  };
  const here = KINDS.filter((kind) => chosen.has(kind) || rows.some((row) => row.kind === kind));
  if (rows.length === 0) return null;
  return (
    <div ref={ref} className={styles.chips} role="toolbar" aria-label={t`Kinds of agreement`}>
      {here.map((kind) => (
        <button
          key={kind}
          type="button"
          data-family={toneOf(kind)}
          aria-pressed={chosen.has(kind)}
          onClick={() => turn(kind)}
        >
          <span aria-hidden="true" className={styles.sign}>
            {SIGNS[kind]}
          </span>{" "}
          <KindName kind={kind} /> <b>{rows.filter((row) => row.kind === kind).length}</b>
        </button>
      ))}
      {chosen.size > 0 && (
        <button type="button" onClick={() => choose(undefined)}>
          {t`Show all kinds`}
        </button>
      )}
    </div>
  );
}

function KindName({ kind }: { kind: Kind }) {
  const { t } = useLingui();
  const words = {
    same: t`the same`,
    place: t`another place`,
    code: t`another code`,
    subtype: t`another subtype or comment`,
    correction: t`another correction`,
    "only-x": t`only X`,
    "only-y": t`only Y`,
  };
  return words[kind];
}

const PLACES = 2;

interface MetricsProps {
  comparison: Compared;
  chosen: string | null;
  choose: (name: string) => void;
}

/**
 * The seven metrics, each with its share of the pair accuracy; the platform computes all numbers.
 *
 * Clause: platform §8 viewer
 */
export function Metrics({ comparison, chosen, choose }: MetricsProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const figure = (value: number | null) => (value === null ? "—" : decimal(value, PLACES, language, 0));
  const metric = chosen ? comparison.metrics[chosen as "M1"] : null;
  return (
    <PageSection
      id="metrics"
      title={t`Pair accuracy: ${accuracy(comparison.pair_accuracy, language)} %`}
      className={styles.metrics}
    >
      <div className={styles.tools} role="toolbar" aria-label={t`Metrics`}>
        {Object.entries(comparison.metrics).map(([name, value]) => (
          <button key={name} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
            {name} <b>{accuracy(value.value, language)}</b>
          </button>
        ))}
      </div>
      {metric && (
        <p role="status">
          {metric.because ? (
            metric.because[language]
          ) : chosen === "M7" ? (
            t`The mean of the ratings of X's explanations; rated: ${figure(metric.denominator)}.`
          ) : (
            <Trans>
              {chosen}: {figure(metric.numerator)} of {figure(metric.denominator)}.
            </Trans>
          )}{" "}
          <Trans>
            Its weight is {figure(metric.weight)}; it brings {accuracy(metric.part_of_pair_accuracy, language)} to the
            pair accuracy.
          </Trans>
        </p>
      )}
    </PageSection>
  );
}

/** Details of a metric that one sentence cannot explain: both grades (M1), or the rating's questions (M7). */
export function MetricInFull({ name, comparison }: { name: string | null; comparison: Compared }) {
  if (name === "M1") return <Grades comparison={comparison} />;
  return name === "M7" ? <Questions /> : null;
}

function Questions() {
  const questions = useQuestions();
  return (
    <>
      <p>
        <Trans>
          Experts answer these questions about each explanation. Every yes gives it 20 %; several experts' ratings are
          averaged. An expert's own markup always has 100.
        </Trans>
      </p>
      <ol>
        {questions.map((question) => (
          <li key={question}>{question}</li>
        ))}
      </ol>
    </>
  );
}

function Grades({ comparison }: { comparison: Compared }) {
  const language = useLanguage();
  const { x, y } = comparison.grades;
  if (!x || !y) return null;
  const differs = (name: string) => comparison.differing_criteria.includes(name);
  const names = Object.keys(x.criteria).sort((one, other) => Number(differs(other)) - Number(differs(one)));
  const gradeOf = ({ criteria, explanations }: typeof x, name: string) =>
    `${criteria[name]}: ${explanations[name]?.[language] ?? ""}`;
  return (
    <Table
      rows={names}
      rowKey={(name) => name}
      columns={[
        { cell: (name) => `${name} ${differs(name) ? "≠" : ""}` },
        { header: "X", cell: (name) => gradeOf(x, name) },
        { header: "Y", cell: (name) => gradeOf(y, name) },
      ]}
    />
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import type { Ref } from "react";
import type { Schemas } from "@/api/client";
import type { Fragment } from "@/text/markup";
import { nameOf, type Row, SIGNS, toneOf } from "@/text/pairs";
import { useLanguage } from "@/ui/contest";
import { Sheet } from "@/ui/controls";
import { decimal, placesApart } from "@/ui/numbers";
import { Table } from "@/ui/Table";
import styles from "./comparison.module.css";
import { KindName } from "./Kinds";
import { Quote } from "./Quote";

type Compared = Schemas["Comparison"];
type Matched = Schemas["MatchedPair"];
type NearMiss = Schemas["NearMiss"];

const LEAST_PLACES = 2;
/** From this L on two fragments are no pair. */
const LEAST_OF_NO_PAIR = 2;

interface DetailsProps {
  text: string;
  of: Compared;
  x: readonly Fragment[];
  y: readonly Fragment[];
  active: Row | null;
  close: () => void;
  ref: Ref<HTMLElement>;
}

/** The pair that is looked at: what it lost and in which fields it differs; of one left over, why it has no pair. */
export function Details({ text, of, x, y, active, close, ref }: DetailsProps) {
  if (!active) {
    return (
      <section ref={ref} tabIndex={-1} className={styles.details}>
        <p>
          <Trans>Choose a pair in the text or in the table to see what its two fragments differ in.</Trans>
        </p>
      </section>
    );
  }
  const pair = of.pairs.find((each) => each.x === active.x && each.y === active.y);
  const near = of.near.find((each) => each.x === active.x || each.y === active.y);
  const one = active.x === null ? undefined : x[active.x];
  const other = active.y === null ? undefined : y[active.y];
  return (
    <Sheet ref={ref} labelledBy="details" close={close} className={styles.details}>
      <h2 id="details" data-family={toneOf(active.kind)}>
        <span aria-hidden="true" className={styles.sign}>
          {SIGNS[active.kind]}
        </span>{" "}
        {nameOf(active)}: <KindName of={active.kind} />
      </h2>
      {pair && <Costs of={pair} matched />}
      {!pair && near && (
        <>
          <p>
            <Trans>It overlaps a fragment of the other side, and the two are still no pair:</Trans>{" "}
            <Quote text={text} of={active.x === null ? x[near.x] : y[near.y]} />
          </p>
          <Costs of={near} matched={false} />
        </>
      )}
      {!pair && !near && (
        <p>
          <Trans>Nothing of the other side that is left over overlaps it.</Trans>
        </p>
      )}
      <Fields one={one} other={other} pair={pair} />
    </Sheet>
  );
}

/** L and what it is made of; every number is the platform's. */
export function Costs({ of, matched }: { of: Matched | NearMiss; matched: boolean }) {
  const language = useLanguage();
  // J decides at 0 and at 1, L at 2: neither is rounded up to what it does not reach.
  const number = (value: number, limits: number[]) =>
    decimal(value, placesApart([value], limits, LEAST_PLACES), language, 0);
  const [place, start, code] = [number(of.j, [0, 1]), Number(of.start_differs), Number(of.code_differs)];
  const loss = number(of.loss, [0, LEAST_OF_NO_PAIR]);
  return (
    <p>
      {matched ? (
        <Trans>
          Place {place}, start {start}, code {code}: L = {loss}, less than 2, so the two are a pair.
        </Trans>
      ) : (
        <Trans>
          Place {place}, start {start}, code {code}: L = {loss}; from 2 on two fragments are no pair.
        </Trans>
      )}
      {"group_differs" in of && of.group_differs && (
        <>
          {" "}
          <Trans>They are of different groups: one is an error, the other a block of meaning.</Trans>
        </>
      )}
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
      {common && (
        <p>
          <Trans>Words in common: {common}</Trans>
        </p>
      )}
      <Table
        rows={rows.filter(([, first, second]) => first || second)}
        rowKey={([title]) => title}
        columns={[
          { cell: ([title]) => title },
          { header: "X", cell: ([, first]) => first || "—" },
          { header: "Y", cell: ([, , second]) => second || "—" },
          { header: t`Agreement`, cell: ([, , , likeness]) => (likeness ? <Likeness of={likeness} /> : "—") },
        ]}
      />
    </>
  );
}

function Likeness({ of }: { of: string }) {
  switch (of) {
    case "equal":
      return <Trans>equal</Trans>;
    case "paraphrase":
      return <Trans>a paraphrase</Trans>;
    case "differs":
      return <Trans>differs</Trans>;
    default:
      return <Trans>neither has one</Trans>;
  }
}

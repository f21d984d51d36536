import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "@/auth/hooks";
import { Whisker } from "@/charts/Whisker";
import { useBoardRuler } from "@/pages/public/boardData";
import { AskedPage } from "@/shell/AskedPage";
import { inLanguage, useLanguage } from "@/ui/contest";
import { Button } from "@/ui/controls";
import { useKeyHelp, useLetters } from "@/ui/keys";
import { inUnit, placeOf } from "@/ui/numbers";
import { Wide } from "@/ui/Wide";
import styles from "./conduct.module.css";
import { type Board, boardQuery } from "./data";

/** A board for a ceremony: hidden at first, revealed row by row from the last place up. */
export function Reveal() {
  const { t } = useLingui();
  const { board } = useParams({ from: "/desk/settlement/$board/reveal" });
  const { key } = useSearch({ from: "/desk/settlement/$board/reveal" });
  // What is being shown to a hall does not change under it.
  const found = useQuery({ ...boardQuery(board, key), refetchInterval: false, staleTime: Number.POSITIVE_INFINITY });
  const organizes = useMay("organize");
  return (
    <AskedPage title={t`The results`} of={found}>
      {(shown) =>
        organizes ? (
          <Stage of={shown} back={board} />
        ) : (
          <p>
            <Trans>The results are revealed by organizers.</Trans>
          </p>
        )
      }
    </AskedPage>
  );
}

function Stage({ of, back }: { of: Board; back: string }) {
  const { t } = useLingui();
  const [revealed, setRevealed] = useState(0);
  const { rows } = of;
  const step = (by: number) => setRevealed((now) => Math.max(0, Math.min(rows.length, now + by)));
  useKeyHelp([
    { keys: "↓ →", does: t`Reveal the next place` },
    { keys: "↑ ←", does: t`Hide it again` },
  ]);
  useLetters(({ key }) => {
    const by = { ArrowDown: 1, ArrowRight: 1, PageDown: 1, ArrowUp: -1, ArrowLeft: -1, PageUp: -1 }[key];
    if (by) step(by);
    return by !== undefined;
  });
  const hidden = rows.length - revealed;
  const newest = rows[hidden];
  const language = useLanguage();
  const ruler = useBoardRuler(of);
  const { unit, levels, measure } = of.board;
  const intervals = rows.some(({ interval }) => interval);
  const said = (value: number | null) => inUnit(value, unit, language) + (unit === "percent" ? " %" : "");
  if (rows.length === 0) {
    return (
      <p>
        <Trans>Nobody stands on this board.</Trans>
      </p>
    );
  }
  return (
    <>
      <p className={styles.ceremony}>
        <Button primary isDisabled={hidden === 0} onPress={() => step(1)}>
          <Trans>Reveal the next place</Trans>
        </Button>{" "}
        <Button isDisabled={revealed === 0} onPress={() => step(-1)}>
          <Trans>Hide it again</Trans>
        </Button>{" "}
        <Link {...wayBack(back)}>
          <Trans>Back to the settlement</Trans>
        </Link>
      </p>
      <p role="status" className="sr-only">
        {newest && (
          <Trans>
            Place {placeOf(newest)}: {newest.team}, {said(newest.value)}.
          </Trans>
        )}{" "}
        <Plural value={hidden} _0="Everything is revealed." one="# place is hidden." other="# places are hidden." />
      </p>
      <Wide label={t`The results`} className={styles.reveal}>
        <thead>
          <tr>
            <th scope="col">{t`Place`}</th>
            <th scope="col">{t`Team`}</th>
            <th scope="col">{inLanguage(measure, language)}</th>
            <th scope="col">{intervals ? t`95 % interval` : t`The same as a chart`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) =>
            index < hidden ? (
              <tr key={row.team_id} data-hidden>
                <th scope="row">?</th>
                <td colSpan={3}>
                  <Trans>still hidden</Trans>
                </td>
              </tr>
            ) : (
              <tr key={row.team_id} data-newest={index === hidden || undefined}>
                <th scope="row">{placeOf(row)}</th>
                <td>{row.team}</td>
                <td>
                  {inUnit(row.value, unit, language)}{" "}
                  {row.barrier && (
                    <strong>{levels.length > 0 ? <Trans>above people</Trans> : <Trans>barrier overcome</Trans>}</strong>
                  )}
                </td>
                <td>
                  <Whisker ruler={ruler} values={[row.value]} interval={row.interval} />
                </td>
              </tr>
            ),
          )}
        </tbody>
      </Wide>
    </>
  );
}

function wayBack(board: string) {
  return board === "qualification"
    ? ({ to: "/desk/settlement" } as const)
    : ({ to: "/desk/settlement/$runId", params: { runId: board } } as const);
}

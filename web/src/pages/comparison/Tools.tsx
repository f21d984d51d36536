import { Trans, useLingui } from "@lingui/react/macro";
import { useLanguage } from "@/ui/contest";
import { Button, CopyButton } from "@/ui/controls";
import { accuracy } from "@/ui/numbers";
import styles from "./comparison.module.css";
import { ANSWER, type Couple, type Pair, type Which } from "./comparisonData";

interface ToolsProps {
  pair: Pair;
  couples: readonly Couple[];
  /** The markups that are not of the pair. */
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

/** Which two are compared, and who agrees with whom how far. */
export function Tools({
  pair,
  couples,
  others,
  third,
  beside,
  choose,
  swap,
  toggle,
  agreement,
  paint,
  draw,
}: ToolsProps) {
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
        <Button onPress={swap}>
          <Trans>Swap</Trans>
        </Button>
        <Button onPress={toggle}>{beside ? <Trans>One text</Trans> : <Trans>Two texts</Trans>}</Button>
        <Button onPress={paint}>
          {agreement ? <Trans>Colours by family of codes</Trans> : <Trans>Colours by agreement</Trans>}
        </Button>
        <CopyButton text={location.href} what={t`a link to this very place`} />
      </div>
      {couples.length > 1 && (
        <div className={styles.chips} role="toolbar" aria-label={t`Which two are compared: their pair accuracy`}>
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
                <Trans>draw it as a third markup</Trans>
              </span>
            </button>
          ))}
        </div>
      )}
      {third !== null && (
        <p role="status">
          <Trans>The grey lines, lowest under the text, are the third markup: {name(third)}.</Trans>
        </p>
      )}
    </>
  );
}

/** A markup by whose it is; experts have numbers, never names. */
export function useName(): (which: Which) => string {
  const { t } = useLingui();
  return (which) => (which === ANSWER ? t`the program's answer` : t`expert ${Number(which) + 1}`);
}

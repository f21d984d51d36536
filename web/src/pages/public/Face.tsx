import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { scaleLinear } from "d3-scale";
import type { Cycle } from "@/ui/contest";
import { useCalled, useLanguage } from "@/ui/contest";
import { inUnit } from "@/ui/numbers";
import { type BoardAnswer, useBoardRuler } from "./boardData";
import styles from "./face.module.css";

interface FaceProps {
  cycle: Cycle | undefined;
  board: BoardAnswer | undefined;
}

/** The contest at first sight: its question, one example of the work, the barrier with the programs before it, the way in. */
export function Face({ cycle, board }: FaceProps) {
  const { many } = useCalled();
  return (
    <div className={styles.face}>
      <div>
        <p className={styles.question}>
          <Trans>Is any program as good as the people who do this work?</Trans>
        </p>
        <p>
          <Trans>
            Programs answer {many} that open for every team at the same moment. They are compared with experts, and the
            experts with each other in the same way.
          </Trans>
        </p>
        <p className={styles.ways}>
          <Link to="/take-part" className={styles.primary}>
            <Trans>Take part in ten minutes</Trans>
          </Link>
          <Link to="/rules">
            <Trans>How programs are measured</Trans>
          </Link>
        </p>
        {cycle && <Example track={cycle.track} />}
      </div>
      <figure className={styles.barrier}>{board && <Barrier board={board} />}</figure>
    </div>
  );
}

const [WIDTH, HEIGHT, GROUND, TOP] = [480, 190, 150, 46];
const RUNNERS = 8;

/** The barrier as a hurdle on a track, and where the first programs of the board stand before or behind it. */
function Barrier({ board }: { board: BoardAnswer }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { mark, unit } = useBoardRuler(board);
  const runners = board.rows.filter(({ value }) => value !== null).slice(0, RUNNERS);
  const [first] = runners;
  if (!mark) return null;
  const best = Math.max(0, ...runners.map(({ value }) => value ?? 0));
  const x = scaleLinear([0, Math.max(mark.at * 1.2, best * 1.05)], [16, WIDTH - 16]);
  const sign = unit === "percent" ? " %" : "";
  const said = (value: number) => `${inUnit(value, unit, language, { short: true })}${sign}`;
  const leader = first?.value ?? null;
  const title =
    first && leader !== null
      ? t`The barrier is ${said(mark.at)}. First: ${first.team}, ${said(leader)}.`
      : t`The barrier is ${said(mark.at)}. Nobody has a place yet.`;
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {[0, 1, 2].map((lane) => (
          <line key={lane} className={styles.lane} x1={0} x2={WIDTH} y1={GROUND + lane * 12} y2={GROUND + lane * 12} />
        ))}
        <g className={styles.hurdle} transform={`translate(${x(mark.at)} 0)`}>
          <path d={`M-20 ${GROUND + 24}V${TOP + 18}M20 ${GROUND}V${TOP}`} />
          <path className={styles.bar} d={`M-24 ${TOP + 22}L24 ${TOP - 2}v16L-24 ${TOP + 38}z`} />
        </g>
        <text className={styles.figure} x={Math.min(x(mark.at), WIDTH - 70)} y={24} textAnchor="middle">
          {said(mark.at)}
        </text>
        {[...runners].reverse().map(({ team_id: id, value }) => (
          <circle
            key={id}
            className={id === first?.team_id ? styles.leader : styles.runner}
            cx={x(value ?? 0)}
            cy={GROUND + 12}
            r={id === first?.team_id ? 9 : 6}
          />
        ))}
        {first && leader !== null && (
          <text className={styles.figure} x={Math.max(40, x(leader))} y={GROUND - 16} textAnchor="middle">
            {said(leader)}
          </text>
        )}
      </svg>
      <figcaption>
        {first && leader !== null ? (
          <>
            <Plural value={board.rows.length} one="# team is on the board." other="# teams are on the board." />{" "}
            <Trans>{first.team} is first.</Trans>
          </>
        ) : (
          <Trans>Nobody stands on the track yet.</Trans>
        )}
      </figcaption>
    </>
  );
}

/** One piece of the work, with what an expert, or a program, says of it. */
function Example({ track }: { track: Cycle["track"] }) {
  const { t } = useLingui();
  const examples: Readonly<Record<string, readonly [before: string, marked: string, after: string, note: string]>> = {
    essay: [
      t`The battle of Borodino was won by `,
      t`Peter the Great`,
      t`, who had reformed the army.`,
      t`wrong fact: the battle was in 1812, a century later`,
    ],
    gec: [t`Every morning she `, t`go`, t` to school by bus.`, t`goes: the verb agrees with its subject`],
    exam: [
      t`Write the word with the wrong vowel: water, mountain, `,
      t`hoem`,
      ".",
      t`the answer is compared with the key`,
    ],
    diagnosis: [
      t`Cough for five days, fever 38.5, `,
      t`dull sound below the right shoulder blade`,
      ".",
      t`J18.9, pneumonia`,
    ],
    fusion: [t`What stands on the table? `, t`a lamp`, t` (asked of a picture)`, t`compared with the right answer`],
  };
  const example = examples[track];
  if (!example) return null;
  const [before, marked, after, note] = example;
  return (
    <figure className={styles.example}>
      <blockquote>
        {before}
        <mark>{marked}</mark>
        {after}
      </blockquote>
      <figcaption>{note}</figcaption>
    </figure>
  );
}

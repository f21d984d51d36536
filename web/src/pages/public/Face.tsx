import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { scaleLinear } from "d3-scale";
import type { ReactNode } from "react";
import { type Cycle, inLanguage, useCalled, useDeclared, useLanguage } from "@/ui/contest";
import { inUnit, SIGN } from "@/ui/numbers";
import { type BoardAnswer, useBoardRuler } from "./boardData";
import styles from "./face.module.css";

interface FaceProps {
  cycle: Cycle | undefined;
  board: BoardAnswer | undefined;
  next: ReactNode;
}

/** Show the contest as a scoreboard: the work, the barrier with the best programs, figures, and how to take part. */
export function Face({ cycle, board, next }: FaceProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const { many } = useCalled();
  const declared = useDeclared();
  const isOfPeople = !declared || declared.barrier === "people";
  return (
    <div className={styles.face}>
      <div className={styles.words}>
        <p className={styles.question}>
          {isOfPeople
            ? t`Is any program as good as the people who do this work?`
            : t`How well does any program do this work?`}
        </p>
        <p className={styles.about}>
          {cycle?.about ? (
            inLanguage(cycle.about, language)
          ) : declared ? (
            <Trans>
              Programs answer {many} that open for every team at the same moment. The organizers' own measure counts
              every answer.
            </Trans>
          ) : (
            <Trans>
              Programs answer {many} that open for every team at the same moment. They are compared with experts, and
              the experts with each other in the same way.
            </Trans>
          )}
        </p>
        {!declared && <div className={styles.work}>{cycle && <Example track={cycle.track} />}</div>}
        <p className={styles.ways}>
          <Link to="/take-part" className={styles.primary}>
            {t`Take part in ten minutes`}
          </Link>
          <Link to="/rules">{t`How programs are measured`}</Link>
        </p>
      </div>
      <figure className={styles.barrier}>{board && <Barrier board={board} />}</figure>
      <dl className={styles.score}>
        <Figures board={board} />
        <div>
          <dt>{t`What comes next`}</dt>
          <dd className={styles.said}>{next}</dd>
        </div>
        {cycle?.prize && (
          <div>
            <dt>{t`Prize`}</dt>
            <dd className={styles.said}>{inLanguage(cycle.prize, language)}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

/** Show the board in four figures; dashes until it is loaded. */
function Figures({ board }: { board: BoardAnswer | undefined }) {
  const { t } = useLingui();
  const unit = useUnit(board);
  const first = board?.rows[0]?.value ?? null;
  const { mark } = unit;
  const isOfPeople = useDeclared()?.barrier === "people";
  const beyond = board?.rows.filter(({ barrier }) => barrier).length;
  return (
    <>
      <Digits name={t`Best result`}>{first === null ? "—" : unit.figure(first)}</Digits>
      <Digits name={t`Barrier`}>{isOfPeople ? t`people` : mark ? unit.figure(mark.at) : "—"}</Digits>
      <Digits name={t`Teams`}>{board ? board.rows.filter(({ place }) => place !== null).length : "—"}</Digits>
      <Digits name={t`Beyond the barrier`}>{board && (mark || isOfPeople) ? beyond : "—"}</Digits>
    </>
  );
}

function Digits({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Return the short format of the board's numbers, and the mark of its barrier. */
function useUnit(board: BoardAnswer | undefined) {
  const language = useLanguage();
  const { mark, unit } = useBoardRuler(board ?? NO_BOARD);
  return { mark, figure: (value: number) => `${inUnit(value, unit, language, { short: true })}${SIGN[unit]}` };
}

const NO_BOARD = { board: { unit: "percent", levels: [], barrier: null }, rows: [] } as unknown as BoardAnswer;
const [WIDTH, LANE, TOP, SIDE] = [480, 22, 54, 18];
const LANES = 8;

/** Draw a lane for each of the best programs; a numeric barrier crosses all lanes. */
function Barrier({ board }: { board: BoardAnswer }) {
  const { t } = useLingui();
  const { mark, figure } = useUnit(board);
  const isLower = useDeclared()?.better === "lower";
  const runners = board.rows.filter(({ place, value }) => place !== null && value !== null).slice(0, LANES);
  const [first] = runners;
  const most = Math.max(0, ...runners.map(({ value }) => value ?? 0));
  // If lower values are better and there is no barrier, the last program stands half-way, not at the start.
  const far = Math.max((mark?.at ?? 0) * 1.3, most * (isLower && !mark ? 2 : 1.15));
  // Better values are on the right; if lower values are better, the right end is zero.
  const x = scaleLinear(isLower ? [far, 0] : [0, far], [SIDE, WIDTH - SIDE]);
  const leader = first && first.value !== null ? `${first.team}, ${figure(first.value)}` : null;
  const order = leader === null ? t`Nobody has a place yet.` : t`First: ${leader}.`;
  const title = mark ? `${t`The barrier is ${figure(mark.at)}.`} ${order}` : order;
  const bottom = TOP + LANES * LANE;
  const at = mark && x(mark.at);
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${bottom + 10}`} role="img" aria-label={title}>
        <rect className={styles.ground} x={0} y={TOP} width={WIDTH} height={LANES * LANE} />
        {Array.from({ length: LANES + 1 }, (_, lane) => TOP + lane * LANE).map((y) => (
          <line key={y} className={styles.lane} x1={0} x2={WIDTH} y1={y} y2={y} />
        ))}
        {runners.map(({ team_id: id, value, barrier }, lane) => {
          const y = TOP + (lane + 0.5) * LANE;
          return (
            <g key={id} className={barrier ? styles.beyond : styles.runner}>
              <line x1={SIDE} x2={x(value ?? 0)} y1={y} y2={y} />
              <circle cx={x(value ?? 0)} cy={y} r={7} />
            </g>
          );
        })}
        {mark && at !== null && (
          <g className={styles.hurdle}>
            <path d={`M${at} ${TOP - 12}V${bottom + 6}`} />
            <path className={styles.bar} d={`M${at - 34} ${TOP - 20}h68v14h-68z`} />
            <path
              className={styles.stripes}
              d={`M${at - 20} ${TOP - 20}h12v14h-12zM${at + 8} ${TOP - 20}h12v14h-12z`}
            />
            <text className={styles.figure} x={at} y={22} textAnchor="middle">
              {figure(mark.at)}
            </text>
          </g>
        )}
      </svg>
      <figcaption>
        {leader === null
          ? t`Nobody stands on the track yet.`
          : t`Each lane is a team, the first one on top: ${leader}.`}
      </figcaption>
    </>
  );
}

/** Show an example of the work, with the answer of an expert or a program. */
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
      <figcaption>
        <span aria-hidden="true">↑ </span>
        {note}
      </figcaption>
    </figure>
  );
}

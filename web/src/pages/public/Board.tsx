import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { Part } from "@/charts/Part";
import { PlaceHistory } from "@/charts/PlaceHistory";
import { type Ruler, Whisker, WhiskerAxis, WhiskerTable } from "@/charts/Whisker";
import { cycleQuery, inLanguage, Note, useLanguage, useMeasureName } from "@/ui/contest";
import { PageLink } from "@/ui/controls";
import { accuracy, inUnit, limitShare, placeOf, SIGN } from "@/ui/numbers";
import { Moment } from "@/ui/Page";
import parts from "@/ui/parts.module.css";
import styles from "./board.module.css";
import {
  type BoardAnswer,
  columnOf,
  type Level,
  type Point,
  placesOf,
  type Row,
  useBoardRuler,
  withLevels,
} from "./boardData";

const COLUMNS = 5;

interface BoardProps {
  board: BoardAnswer;
  points: readonly Point[];
  open?: string | undefined;
  /** Number of first rows to show, without their details; all rows with details if undefined. */
  top?: number;
  /** True for a final's board: no team gets a place on it by a session of its own. */
  final?: boolean;
}

/** Show a leaderboard as the platform made it: places and the order of teams are the platform's. */
export function Board({ board, points, open, top, final = false }: BoardProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const finding = useFinding(board);
  const ruler = useBoardRuler(board);
  const { rules, rows } = { rules: board.board, rows: board.rows.slice(0, top) };
  const measure = useMeasureName()(board.board);
  if (board.rows.length === 0) {
    return (
      <>
        <Note of={board.stage} />
        <Nobody board={board} final={final} />
      </>
    );
  }
  const intervals = board.rows.some(({ interval }) => interval);
  const title = inLanguage(rules.title, language);
  const numberOf = new Map(rows.map((row, number) => [row.team_id, number]));
  return (
    <>
      {board.state === "frozen" && board.as_of && (
        <p role="status" className={parts.warning}>
          <Trans>
            This leaderboard is frozen. It shows the state of <Moment at={board.as_of} />; new results arrive and will
            be shown by the organizers.
          </Trans>
        </p>
      )}
      {/* The qualification's days, and what becomes of work on other days. */}
      <Note of={board.stage} />
      {/* Rows by several rules are not to be compared. */}
      <Note of={board.several_rules} role="status" className={parts.warning} />
      <WhiskerTable
        name={t`Leaderboard: ${title}`}
        file={`leaderboard-${board.nomination ?? columnOf(board)}`}
        columns={[t`Team`, measure, ...(intervals ? [t`95 % interval from`, t`95 % interval to`] : [])]}
        finding={finding}
        ruler={ruler}
        rows={rows.map(({ team, value, interval }) => ({ name: team, values: [value], interval }))}
        walked={top !== undefined}
        keeps={top === undefined}
      >
        {(at) => (
          <table className={styles.board}>
            <caption className="sr-only">
              {intervals
                ? t`${title}: place, team, ${measure} with its 95 % interval, and answered files`
                : t`${title}: place, team, ${measure}, and answered files`}
            </caption>
            <thead>
              <tr>
                <th scope="col">{t`Place`}</th>
                <th scope="col">{t`Team`}</th>
                <th scope="col" className={styles.number}>
                  {measure}
                </th>
                <th scope="col" className={styles.chart}>
                  <span className="sr-only">{intervals ? t`95 % interval` : t`The same as a chart`}</span>
                  <WhiskerAxis ruler={ruler} />
                </th>
                <th scope="col" className={styles.number}>
                  {t`Files`}
                </th>
              </tr>
            </thead>
            {withLevels(rows, rules.levels).map((row) =>
              "title" in row ? (
                <LevelRow key={`level-${row.title.en}`} level={row} ruler={ruler} />
              ) : (
                <Rows
                  key={row.team_id}
                  row={row}
                  number={numberOf.get(row.team_id) ?? 0}
                  isOn={numberOf.get(row.team_id) === at}
                  ruler={ruler}
                  board={board}
                  points={points}
                  isOpen={top === undefined && open === row.team_id}
                  opens={top === undefined}
                />
              ),
            )}
          </table>
        )}
      </WhiskerTable>
      <Legend ruler={ruler} intervals={intervals} />
    </>
  );
}

function Legend({ ruler, intervals }: { ruler: Ruler; intervals: boolean }) {
  const language = useLanguage();
  const { mark, unit } = ruler;
  if (!mark) return null;
  const [name, at] = [mark.name, inUnit(mark.at, unit, language, { short: true }) + SIGN[unit]];
  return (
    <p className={parts.note}>
      <Trans>
        The dashed line: {name}, {at}.
      </Trans>{" "}
      {intervals && <Trans>A filled dot: the whole interval lies beyond it.</Trans>}{" "}
      <Trans>Whether the barrier is overcome is the platform's verdict.</Trans>
    </p>
  );
}

/** Return how many teams have overcome the barrier, by the platform's verdicts; without a barrier, the first team. */
function useFinding(board: BoardAnswer): string {
  const { t } = useLingui();
  const language = useLanguage();
  const { board: rules } = board;
  // A baseline is no team of the contest.
  const rows = board.rows.filter(({ place }) => place !== null);
  const [first] = rows;
  if (rules.barrier === null) {
    if (!first) return "";
    const [team, value] = [first.team, inUnit(first.value, rules.unit, language, rules)];
    return t`First: ${team}, ${value}`;
  }
  const [all, beyond] = [rows.length, rows.filter(({ barrier }) => barrier).length];
  const [level] = rules.levels;
  if (level) {
    const name = inLanguage(level.title, language);
    return beyond === 0 ? t`No team is above the level: ${name}.` : t`Above the level: ${beyond} of ${all} teams.`;
  }
  if (beyond === 0) return t`No team has overcome the barrier yet.`;
  return t`The barrier is overcome: ${beyond} of ${all} teams.`;
}

function Nobody({ board, final }: { board: BoardAnswer; final: boolean }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { least_share: least, whole_set: whole } = board.board;
  if (least > 0 && !final) {
    const part = limitShare(least, language);
    return (
      <p>
        <Trans>
          No session has answered {part} of the test set yet. A team that does so with a finished session gets a place
          here.
        </Trans>
      </p>
    );
  }
  if (whole && !final) {
    return <p>{t`No session over the whole test set has ended yet. A team that finishes one gets a place here.`}</p>;
  }
  return <p>{t`This leaderboard has no entries yet.`}</p>;
}

/** Say that the contest has ended: which programs overcame the barrier, in which final. Clause: R 4.8 */
export function End() {
  const { t } = useLingui();
  const end = useQuery(cycleQuery).data?.end;
  const language = useLanguage();
  if (!end) return null;
  const teams = new Intl.ListFormat(language).format(end.teams);
  return (
    <p className={parts.warning}>
      <strong>{t`The barrier is overcome, and the contest has ended.`}</strong> {teams}.{" "}
      <PageLink to="/runs/$runId" id={end.run_id}>{t`The final`}</PageLink>
      {", "}
      <Moment at={end.at} />
    </p>
  );
}

function LevelRow({ level, ruler }: { level: Level; ruler: Ruler }) {
  const language = useLanguage();
  return (
    <tbody className={styles.level}>
      <tr>
        <td className={styles.place}>—</td>
        <th scope="row" className={styles.team}>
          {inLanguage(level.title, language)}
        </th>
        <td className={styles.number}>{inUnit(level.value, ruler.unit, language, ruler)}</td>
        <td className={styles.chart} />
        <td className={styles.number}>—</td>
      </tr>
    </tbody>
  );
}

interface RowsProps {
  row: Row;
  number: number;
  isOn: boolean;
  ruler: Ruler;
  board: BoardAnswer;
  points: readonly Point[];
  isOpen: boolean;
  opens: boolean;
}

function Rows({ row, number, isOn, ruler, board, points, isOpen, opens }: RowsProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const navigate = useNavigate();
  const toggle = () =>
    void navigate({
      to: "/boards",
      search: ({ open: _, ...before }) => (isOpen ? before : { ...before, open: row.team_id }),
      resetScroll: false,
      replace: true,
    });
  const { value, interval } = row;
  const details = `details-${row.team_id}`;
  return (
    <tbody data-row={number}>
      <tr data-on={isOn || undefined}>
        <td className={styles.place}>{placeOf(row)}</td>
        <th scope="row" className={styles.team}>
          {opens ? (
            <button type="button" aria-expanded={isOpen} aria-controls={details} onClick={toggle} onKeyDown={walk}>
              {row.team}
            </button>
          ) : (
            row.team
          )}
          {row.place === null && <span className={styles.overcome}>{t`baseline, takes no place`}</span>}
          {row.audit?.flagged && (
            <span className={styles.flag} title={t`With missed files counted as zero the result is much lower`}>
              {" ⚠ "}
              <span className="sr-only">{t`With missed files counted as zero the result is much lower`}</span>
            </span>
          )}
          {row.barrier && (
            <span className={styles.overcome}>
              {board.board.levels.length > 0 ? t`above people` : t`barrier overcome`}
            </span>
          )}
        </th>
        <td className={styles.number}>{inUnit(value, ruler.unit, language, ruler)}</td>
        <td className={styles.chart}>
          {value !== null && <Whisker ruler={ruler} values={[value]} interval={interval} />}
          {value === null &&
            (board.board.key === "relative_accuracy"
              ? t`ranked last, because STER is 0`
              : t`ranked last, because the result is undefined`)}
        </td>
        <td className={styles.number}>
          {row.answered}/{row.files}
          <span className="sr-only">
            {" "}
            <Plural value={row.files} one="file answered" other="files answered" />
          </span>
        </td>
      </tr>
      <tr id={details} hidden={!isOpen}>
        <td colSpan={COLUMNS}>{isOpen && <BoardDetails row={row} board={board} points={points} />}</td>
      </tr>
    </tbody>
  );
}

function walk(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const table = event.currentTarget.closest("table");
  if (!step || !table) return;
  event.preventDefault();
  const buttons = [...table.querySelectorAll<HTMLButtonElement>("button[aria-expanded]")];
  buttons[buttons.indexOf(event.currentTarget) + step]?.focus();
}

/** Show a row's details: origin and time of the result, distance to the neighbour, and how to check it. */
function BoardDetails({ row, board, points }: { row: Row; board: BoardAnswer; points: readonly Point[] }) {
  const { t } = useLingui();
  const { session_id: session, parameters_version: version } = row;
  const places = placesOf(points, row.team_id);
  return (
    <div className={styles.details}>
      <p>
        <Trans>
          Session {session}, ended <Moment at={row.closed_at} />, parameters version {version}.
        </Trans>{" "}
        <References references={row.references} />
      </p>
      {row.ahead && <Ahead row={row} ahead={row.ahead} board={board} />}
      {row.audit && <AuditSentence audit={row.audit} />}
      {row.sections.map((section) => (
        <Part key={section.key} section={section} result={row.result} />
      ))}
      {places.length > 0 && (
        <>
          <h2>{t`Places so far`}</h2>
          <PlaceHistory points={places} name={row.team} />
        </>
      )}
    </div>
  );
}

/** Say by which references a row was scored; nothing in a final, which has one state for all rows. */
export function References({ references }: { references: Row["references"] }) {
  if (references === "earlier") return <Trans>Scored by earlier references; the set has others now.</Trans>;
  if (references === "present") return <Trans>Scored by the present references of the set.</Trans>;
  return null;
}

function Ahead({ row, ahead, board }: { row: Row; ahead: NonNullable<Row["ahead"]>; board: BoardAnswer }) {
  const { t } = useLingui();
  const language = useLanguage();
  const name = board.rows.find((team) => team.team_id === ahead.team_id)?.team ?? ahead.team_id;
  const { unit } = board.board;
  const points = inUnit(ahead.difference, unit, language);
  const own = row.team;
  return (
    <p>
      {unit === "percent"
        ? t`${name} is ${points} points ahead of ${own}.`
        : t`${name} is ahead of ${own} by ${points}.`}{" "}
      {ahead.overlap && <Trans>Their 95 % intervals overlap, so the order of the two may be chance.</Trans>}
      {ahead.overlap === false && <Trans>Their 95 % intervals do not overlap.</Trans>}
    </p>
  );
}

function AuditSentence({ audit }: { audit: NonNullable<Row["audit"]> }) {
  const language = useLanguage();
  const lower = accuracy(audit.relative_accuracy, language);
  const difference = accuracy(audit.difference, language);
  return (
    <p>
      {audit.flagged && "⚠ "}
      <Trans>
        Abstention audit: with missed files counted as zero, OTAR would be {lower} %, lower by {difference} points.
      </Trans>
    </p>
  );
}

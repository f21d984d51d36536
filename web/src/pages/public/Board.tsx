import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { axisOf } from "@/charts/scale";
import { BARRIER, Whisker, WhiskerAxis } from "@/charts/Whisker";
import { WhiskerTable } from "@/charts/WhiskerTable";
import { useLanguage } from "@/ui/cycle";
import { Moment } from "@/ui/Moment";
import { percent, placeOf } from "@/ui/numbers";
import { BoardDetails } from "./BoardDetails";
import styles from "./board.module.css";
import type { BoardAnswer, Point, Row } from "./boardData";
import { ValueBoard } from "./ValueBoard";

const COLUMNS = 5;

interface BoardProps {
  board: BoardAnswer;
  points: readonly Point[];
  /** The team whose row is open. */
  open?: string | undefined;
  /** Only so many of the first rows, without what opens. */
  top?: number;
}

/** A leaderboard as the platform made it: places are its own, and so is who stands before whom. */
export function Board(props: BoardProps) {
  if (props.board.board.barrier === null || props.board.board.unit !== "percent") {
    return <ValueBoard board={props.board} top={props.top} />;
  }
  return <WhiskerBoard {...props} />;
}

function WhiskerBoard({ board, points, open, top }: BoardProps) {
  const { t } = useLingui();
  const finding = useFinding(board.rows);
  if (board.rows.length === 0) {
    return (
      <p>
        <Trans>
          No session has answered 95 % of the test set yet. Who does so with a finished session gets a place here.
        </Trans>
      </p>
    );
  }
  const rows = top === undefined ? board.rows : board.rows.slice(0, top);
  const intervals = rows.flatMap((row) => row.result.interval_95.relative_accuracy ?? []);
  const values = rows.flatMap((row) => row.result.relative_accuracy ?? []);
  const axis = axisOf([...intervals, ...values], BARRIER);
  return (
    <>
      <State board={board} />
      <WhiskerTable
        name={t`Leaderboard`}
        file={`leaderboard-${board.nomination ?? board.language}`}
        columns={[t`Team`, t`OTAR, %`, t`95 % interval from`, t`95 % interval to`]}
        finding={finding}
        rows={rows.map(({ team, result }) => ({
          name: team,
          value: result.relative_accuracy,
          interval: result.interval_95.relative_accuracy,
        }))}
        walked={top !== undefined}
      >
        {(at) => (
          <table className={styles.board}>
            <caption className="sr-only">
              {t`Leaderboard: place, team, relative accuracy (OTAR) in per cent with its 95 % interval, and answered files`}
            </caption>
            <thead>
              <tr>
                <th scope="col">
                  <Trans>Place</Trans>
                </th>
                <th scope="col">
                  <Trans>Team</Trans>
                </th>
                <th scope="col" className={styles.number}>
                  <Trans>OTAR, %</Trans>
                </th>
                <th scope="col" className={styles.chart}>
                  <span className="sr-only">
                    <Trans>95 % interval</Trans>
                  </span>
                  <WhiskerAxis axis={axis} />
                </th>
                <th scope="col" className={styles.number}>
                  <Trans>Files</Trans>
                </th>
              </tr>
            </thead>
            {rows.map((row, number) => (
              <Rows
                key={row.team_id}
                row={row}
                number={number}
                isOn={number === at}
                axis={axis}
                points={points}
                isOpen={top === undefined && open === row.team_id}
                opens={top === undefined}
                teams={board.rows}
              />
            ))}
          </table>
        )}
      </WhiskerTable>
      <p className={styles.legend}>
        <Trans>
          The dashed line is the barrier, 100 %. A filled dot: the whole interval lies beyond it. Whether the barrier is
          overcome is the platform's verdict.
        </Trans>
      </p>
    </>
  );
}

/** How many have overcome the barrier, by the platform's verdicts. */
function useFinding(rows: readonly Row[]): string {
  const { t } = useLingui();
  const [all, beyond] = [rows.length, rows.filter(({ barrier }) => barrier).length];
  if (beyond === 0) return t`No team has overcome the barrier yet.`;
  return t`The barrier is overcome: ${beyond} of ${all} teams.`;
}

function State({ board }: { board: BoardAnswer }) {
  if (board.state === "frozen" && board.as_of) {
    return (
      <p role="status" className={styles.frozen}>
        <Trans>
          This board is frozen. It shows what was true at <Moment at={board.as_of} />; results go on arriving, and the
          organizers will show them.
        </Trans>
      </p>
    );
  }
  return null;
}

interface RowsProps {
  row: Row;
  number: number;
  isOn: boolean;
  axis: ReturnType<typeof axisOf>;
  points: readonly Point[];
  isOpen: boolean;
  opens: boolean;
  teams: readonly Row[];
}

function Rows({ row, number, isOn, axis, points, isOpen, opens, teams }: RowsProps) {
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
  const value = row.result.relative_accuracy;
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
          {row.audit?.flagged && (
            <span className={styles.flag} title={t`With missed files counted as zero the result is much lower`}>
              {" ⚠ "}
              <span className="sr-only">{t`With missed files counted as zero the result is much lower`}</span>
            </span>
          )}
          {row.barrier && (
            <span className={styles.overcome}>
              <Trans>barrier overcome</Trans>
            </span>
          )}
        </th>
        <td className={styles.number}>{percent(value, language)}</td>
        <td className={styles.chart}>
          {value === null ? (
            <Trans>ranked last, because STER is 0</Trans>
          ) : (
            <Whisker axis={axis} value={value} interval={row.result.interval_95.relative_accuracy} />
          )}
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
        <td colSpan={COLUMNS}>{isOpen && <BoardDetails row={row} points={points} teams={teams} />}</td>
      </tr>
    </tbody>
  );
}

/** ↑ and ↓ walk the rows' buttons. */
function walk(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const table = event.currentTarget.closest("table");
  if (!step || !table) return;
  event.preventDefault();
  const buttons = [...table.querySelectorAll<HTMLButtonElement>("button[aria-expanded]")];
  buttons[buttons.indexOf(event.currentTarget) + step]?.focus();
}

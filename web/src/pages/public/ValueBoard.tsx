import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { inLanguage, useLanguage } from "@/ui/cycle";
import { inUnit, placeOf } from "@/ui/numbers";
import styles from "./board.module.css";
import type { BoardAnswer, Row } from "./boardData";
import { type Level, withLevels } from "./levels";

interface ValueBoardProps {
  board: BoardAnswer;
  /** Only so many of the first rows. */
  top?: number | undefined;
}

/** A board whose results have no intervals: places by one value, in the board's unit, people's levels between them. */
export function ValueBoard({ board, top }: ValueBoardProps) {
  const { t } = useLingui();
  const language = useLanguage();
  const { rules, rows } = { rules: board.board, rows: board.rows.slice(0, top) };
  if (board.rows.length === 0) return <Nobody board={board} />;
  return (
    <table className={styles.board}>
      <caption className="sr-only">{inLanguage(rules.title, language)}</caption>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Place</Trans>
          </th>
          <th scope="col">
            <Trans>Team</Trans>
          </th>
          <th scope="col" className={styles.number}>
            {inLanguage(rules.measure, language)}
          </th>
          <th scope="col" className={styles.number}>
            <Trans>Files</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {withLevels(rows, rules.levels).map((each) =>
          "title" in each ? (
            <LevelRow key={`level-${each.title.en}`} level={each} unit={rules.unit} />
          ) : (
            <TeamRow key={each.team_id} row={each} unit={rules.unit} above={t`above people`} />
          ),
        )}
      </tbody>
    </table>
  );
}

function Nobody({ board }: { board: BoardAnswer }) {
  if (board.board.whole_set) {
    return (
      <p>
        <Trans>No session over the whole test set has ended yet. Whoever plays one gets a place here.</Trans>
      </p>
    );
  }
  return (
    <p>
      <Trans>Nobody has a place on this board yet.</Trans>
    </p>
  );
}

interface TeamRowProps {
  row: Row;
  unit: BoardAnswer["board"]["unit"];
  above: string;
}

function TeamRow({ row, unit, above }: TeamRowProps) {
  const language = useLanguage();
  return (
    <tr>
      <td className={styles.place}>{placeOf(row)}</td>
      <th scope="row" className={styles.team}>
        {row.team}
        {row.barrier && <span className={styles.overcome}>{above}</span>}
      </th>
      <td className={styles.number}>{inUnit(row.value, unit, language)}</td>
      <td className={styles.number}>
        {row.answered}/{row.files}
        <span className="sr-only">
          {" "}
          <Plural value={row.files} one="file answered" other="files answered" />
        </span>
      </td>
    </tr>
  );
}

function LevelRow({ level, unit }: { level: Level; unit: BoardAnswer["board"]["unit"] }) {
  const language = useLanguage();
  return (
    <tr className={styles.level}>
      <td className={styles.place}>—</td>
      <th scope="row" className={styles.team}>
        {inLanguage(level.title, language)}
      </th>
      <td className={styles.number}>{inUnit(level.value, unit, language)}</td>
      <td className={styles.number}>—</td>
    </tr>
  );
}

import { Trans } from "@lingui/react/macro";
import { Part } from "@/charts/Part";
import { PlaceHistory } from "@/charts/PlaceHistory";
import { useLanguage } from "@/ui/contest";
import { Moment } from "@/ui/moments";
import { accuracy, inUnit } from "@/ui/numbers";
import styles from "./board.module.css";
import { type BoardAnswer, type Point, placesOf, type Row } from "./boardData";

interface BoardDetailsProps {
  row: Row;
  board: BoardAnswer;
  points: readonly Point[];
}

/** What a row holds: how the result came about, when, how far from the neighbour, and how to check it. */
export function BoardDetails({ row, board, points }: BoardDetailsProps) {
  const { session_id: session, parameters_version: version } = row;
  const places = placesOf(points, row.team_id);
  return (
    <div className={styles.details}>
      <p>
        <Trans>
          Session {session}, ended <Moment at={row.closed_at} />, parameters version {version}.
        </Trans>{" "}
        <References of={row.references} />
      </p>
      {row.ahead && <Ahead row={row} ahead={row.ahead} board={board} />}
      {row.audit && <AuditSentence audit={row.audit} />}
      {row.sections.map((section) => (
        <Part key={section.key} section={section} result={row.result} heading="h3" />
      ))}
      {places.length > 0 && (
        <>
          <h3>
            <Trans>Places so far</Trans>
          </h3>
          <PlaceHistory points={places} name={row.team} />
        </>
      )}
    </div>
  );
}

/** Say by which references a row was scored; nothing in a final, which has one state for all rows. */
export function References({ of }: { of: Row["references"] }) {
  if (of === "earlier") return <Trans>Scored by earlier references; the set has others now.</Trans>;
  if (of === "present") return <Trans>Scored by the present references of the set.</Trans>;
  return null;
}

interface AheadProps {
  row: Row;
  ahead: NonNullable<Row["ahead"]>;
  board: BoardAnswer;
}

function Ahead({ row, ahead, board }: AheadProps) {
  const language = useLanguage();
  const name = board.rows.find((team) => team.team_id === ahead.team_id)?.team ?? ahead.team_id;
  const { unit } = board.board;
  const points = inUnit(ahead.difference, unit, language);
  const own = row.team;
  return (
    <p>
      {unit === "percent" ? (
        <Trans>
          {name} is {points} points ahead of {own}.
        </Trans>
      ) : (
        <Trans>
          {name} is ahead of {own} by {points}.
        </Trans>
      )}{" "}
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

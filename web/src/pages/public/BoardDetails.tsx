import { Trans, useLingui } from "@lingui/react/macro";
import { PlaceHistory } from "@/charts/PlaceHistory";
import { useLanguage } from "@/ui/cycle";
import { languageName } from "@/ui/languages";
import { Moment } from "@/ui/Moment";
import { percent } from "@/ui/numbers";
import styles from "./board.module.css";
import { type Point, placesOf, type Row } from "./boardData";

type Accuracies = Row["result"]["by_subject"][string];

/** What a row holds: how the result came about, when, how far from the neighbour, and how to check it. */
export function BoardDetails({ row, points, teams }: { row: Row; points: readonly Point[]; teams: readonly Row[] }) {
  const { t } = useLingui();
  const language = useLanguage();
  const { result, session_id: session, parameters_version: version } = row;
  const places = placesOf(points, row.team_id);
  const whole = t`all`;
  return (
    <div className={styles.details}>
      <p>
        <Trans>
          Session {session}, ended <Moment at={row.closed_at} />, parameters version {version}.
        </Trans>
      </p>
      {row.ahead && <Ahead row={row} ahead={row.ahead} teams={teams} />}
      {row.audit && <AuditSentence audit={row.audit} />}
      <Table
        name={t`By language`}
        parts={{
          [whole]: result,
          ...Object.fromEntries(
            Object.entries(result.by_language).map(([name, told]) => [languageName(name, language), told]),
          ),
        }}
        language={language}
      />
      <Table name={t`By type of essay`} parts={result.by_subject} language={language} />
      <Table name={t`By metric`} parts={result.by_metric} language={language} />
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

function Ahead({ row, ahead, teams }: { row: Row; ahead: NonNullable<Row["ahead"]>; teams: readonly Row[] }) {
  const language = useLanguage();
  const name = teams.find((team) => team.team_id === ahead.team_id)?.team ?? ahead.team_id;
  const points = percent(ahead.difference, language);
  const own = row.team;
  return (
    <p>
      <Trans>
        {name} is {points} points ahead of {own}.
      </Trans>{" "}
      {ahead.overlap && <Trans>Their 95 % intervals overlap, so the order of the two may be chance.</Trans>}
      {ahead.overlap === false && <Trans>Their 95 % intervals do not overlap.</Trans>}
    </p>
  );
}

function AuditSentence({ audit }: { audit: NonNullable<Row["audit"]> }) {
  const language = useLanguage();
  const lower = percent(audit.relative_accuracy, language);
  const difference = percent(audit.difference, language);
  return (
    <p>
      {audit.flagged && "⚠ "}
      <Trans>
        Abstention audit: with missed files counted as zero, OTAR would be {lower} %, lower by {difference} points.
      </Trans>
    </p>
  );
}

interface TableProps {
  name: string;
  parts: Readonly<
    Record<string, Pick<Accuracies, "algorithm_accuracy" | "expert_accuracy" | "relative_accuracy" | "essays">>
  >;
  language: "en" | "ru";
}

function Table({ name, parts, language }: TableProps) {
  return (
    <table className={styles.parts}>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col">
            <Trans>Essays</Trans>
          </th>
          <th scope="col">
            <Trans>STAR</Trans>
          </th>
          <th scope="col">
            <Trans>STER</Trans>
          </th>
          <th scope="col">
            <Trans>OTAR</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(parts).map(([part, told]) => (
          <tr key={part}>
            <th scope="row">{part}</th>
            <td>{told.essays}</td>
            <td>{percent(told.algorithm_accuracy, language)}</td>
            <td>{percent(told.expert_accuracy, language)}</td>
            <td>{percent(told.relative_accuracy, language)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

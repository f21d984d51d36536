// biome-ignore-all lint/a11y/useSemanticElements: cells have places of their own, which a table's elements cannot have
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell
import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useCallback, useRef, useState } from "react";
import { useTeamName } from "@/pages/desk/teamNames";
import { useLanguage } from "@/ui/contest";
import { useView } from "@/ui/controls";
import { share } from "@/ui/numbers";
import { Countdown, TimeOfDay } from "@/ui/Page";
import styles from "./conduct.module.css";
import type { WatchedTeam } from "./data";
import { CELLS, inView, moved, type Place } from "./data";

/** Cell and header sizes set by the style, in pixels, so that cell positions need no measuring. */
const WIDTH = 28;
const HEIGHT = 36;
const HEAD = 240;

interface GridProps {
  teams: readonly WatchedTeam[];
  files: number;
  /** Numbers of the files proposed as missed by every team. */
  proposed: readonly number[];
  selected: { team: string; file: number } | null;
  open: (team: string, file: number) => void;
}

/** Grid of teams by files; only the part in view is in the document. Arrow keys move, Enter opens a delivery. */
export function Grid({ teams, files, proposed, selected, open }: GridProps) {
  const { i18n, t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const part = usePart(box, teams.length, files);
  const team = teams[active.row];
  const press = (event: KeyboardEvent) => {
    const to = moved(event.key, active, teams.length, files);
    if (to) {
      event.preventDefault();
      setActive(to);
      part.look(to);
    } else if (event.key === "Enter" && team) {
      event.preventDefault();
      open(team.team_id, active.column + 1);
    }
  };
  const columns = numbers(part.columns.first, part.columns.last);
  const inside = (at: number, { first, last }: ReturnType<typeof inView>) => at >= first && at < last;
  const isSeen = inside(active.row, part.rows) && inside(active.column, part.columns);
  const cellName = team && isSeen ? cellId(team.team_id, active.column) : undefined;
  return (
    <div
      ref={box}
      role="grid"
      tabIndex={0}
      className={styles.grid}
      aria-label={t`Teams and files`}
      aria-rowcount={teams.length + 1}
      aria-colcount={files + 1}
      aria-activedescendant={cellName}
      onKeyDown={press}
    >
      <div role="row" aria-rowindex={1} className={styles.gridHead} style={{ width: HEAD + files * WIDTH }}>
        <span role="columnheader" aria-colindex={1} className={styles.corner}>
          {t`Team`}
        </span>
        {columns.map((column) => (
          <span
            role="columnheader"
            key={column}
            aria-colindex={column + 2}
            className={proposed.includes(column + 1) ? styles.proposedHead : styles.fileHead}
            style={{ left: HEAD + column * WIDTH }}
          >
            {column + 1}
          </span>
        ))}
      </div>
      <div role="presentation" style={{ height: part.rows.first * HEIGHT }} />
      {teams.slice(part.rows.first, part.rows.last).map((team, at) => {
        const row = part.rows.first + at;
        return (
          <div
            role="row"
            key={team.session_id}
            aria-rowindex={row + 2}
            className={styles.gridRow}
            style={{ width: HEAD + files * WIDTH }}
          >
            <RowHead team={team} />
            {columns.map((column) => {
              const cell = CELLS[team.cells[column] ?? "."] ?? CELLS["."];
              const isSelected = selected?.team === team.team_id && selected.file === column + 1;
              const isActive = row === active.row && column === active.column;
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself takes the keys of its active cell
                <span
                  role="gridcell"
                  key={column}
                  id={cellId(team.team_id, column)}
                  aria-colindex={column + 2}
                  aria-selected={isSelected}
                  tabIndex={-1}
                  data-look={cell?.look}
                  data-active={isActive || undefined}
                  className={styles.cell}
                  style={{ left: HEAD + column * WIDTH }}
                  title={cell && i18n._(cell.says)}
                  onClick={() => {
                    setActive({ row, column });
                    open(team.team_id, column + 1);
                  }}
                >
                  {cell?.glyph}
                  <span className="sr-only">{cell && t`file ${column + 1}: ${i18n._(cell.says)}`}</span>
                </span>
              );
            })}
          </div>
        );
      })}
      <div role="presentation" style={{ height: (teams.length - part.rows.last) * HEIGHT }} />
    </div>
  );
}

function RowHead({ team }: { team: WatchedTeam }) {
  const { t } = useLingui();
  const nameOf = useTeamName();
  const missed = share(team.voided_share, useLanguage());
  return (
    <span role="rowheader" aria-colindex={1} className={styles.rowHead}>
      <strong>{nameOf(team.team_id)}</strong>{" "}
      {team.state === "open" && !team.connected && (
        <b className={styles.away}>
          <Trans>
            offline, last seen <TimeOfDay at={team.seen_at} />
          </Trans>
        </b>
      )}
      <small>
        {team.answered}/{team.files} · ✕ {missed}
        {team.solution_voided && (
          <>
            {" "}
            <b className={styles.annulled}>{t`annulled`}</b>
          </>
        )}
      </small>
    </span>
  );
}

/** Legend of the grid's glyphs. */
export function Legend() {
  const { i18n } = useLingui();
  return (
    <ul className={styles.legend}>
      {Object.entries(CELLS).map(([letter, { glyph, look, says }]) => (
        <li key={letter}>
          <span aria-hidden="true" data-look={look} className={styles.sample}>
            {glyph}
          </span>{" "}
          {i18n._(says)}
        </li>
      ))}
    </ul>
  );
}

/** Countdown to the opening of the next file. */
export function NextOpening({ of, files }: { of: { number: number; opens_at: string }; files: number }) {
  return (
    <Trans>
      file {of.number} of {files} opens in{" "}
      <strong>
        <Countdown to={of.opens_at} />
      </strong>
    </Trans>
  );
}

function cellId(team: string, column: number): string {
  return `cell-${team}-${column + 1}`;
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
}

/** Return the ranges of rows and columns in or near the view of the scrolled grid. */
function usePart(box: React.RefObject<HTMLElement | null>, rows: number, columns: number) {
  const view = useView(box);
  /** Scroll a cell into view, clear of the fixed headers. */
  const look = useCallback(
    ({ row, column }: Place) => {
      const element = box.current;
      if (!element) return;
      const x = column * WIDTH;
      const y = row * HEIGHT;
      const [width, height] = [element.clientWidth - HEAD - WIDTH, element.clientHeight - 2 * HEIGHT];
      element.scrollLeft = Math.max(x - width, Math.min(x, element.scrollLeft));
      element.scrollTop = Math.max(y - height, Math.min(y, element.scrollTop));
    },
    [box],
  );
  return {
    rows: inView(view.top, view.height, HEIGHT, rows),
    columns: inView(view.left, view.width, WIDTH, columns),
    look,
  };
}

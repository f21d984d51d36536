import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useGroupName, useLanguage } from "@/ui/contest";
import { isTyping, useKeyHelp } from "@/ui/keys";
import { cellText } from "@/ui/numbers";
import parts from "@/ui/parts.module.css";
import styles from "./cabinet.module.css";
import type { Column, FileRow, FilesSearch } from "./filesView";
import { causeWord, stateWord } from "./words";

/** The height that the style gives a row; with it, the place of each row is known without measuring. */
const ROW = 36;
const BEYOND = 8;
/** Widths in rem: of the columns that say which file it is, and of each value. */
const NAMED = 40;
const VALUE = 7;

const FIXED = [
  { key: "number", title: msg`№` },
  { key: "name", title: msg`File` },
  { key: "group", title: msg`Type` },
  { key: "state", title: msg`State` },
] as const;

interface TableProps {
  rows: readonly FileRow[];
  columns: readonly Column[];
  search: FilesSearch;
  change: (changed: FilesSearch) => void;
}

/** Up to a thousand rows, of which only those in view are in the document. J and K walk them. */
export function FileTable({ rows, columns, search, change }: TableProps) {
  const { i18n, t } = useLingui();
  const language = useLanguage();
  const box = useRef<HTMLElement>(null);
  const { first, last, look } = useWindow(box, rows.length);
  useKeyHelp([{ keys: "j k", does: t`Next file, previous file` }]);
  const at = rows.findIndex((row) => row.number === search.file);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      if (localStorage.getItem("hurdle.keys") === "off") return;
      const step = { KeyJ: 1, KeyK: -1 }[event.code];
      const row = step && rows[Math.max(0, Math.min(rows.length - 1, at + step))];
      if (!row) return;
      change({ file: row.number });
      look(rows.indexOf(row));
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [rows, at, change, look]);
  // Where totals alone are told of a set, no file's type is.
  const hasTypes = rows.some(({ file }) => file.group !== "");
  const groupName = useGroupName(hasTypes);
  const titles = [
    ...FIXED.filter(({ key }) => key !== "group" || hasTypes).map(({ key, title }) => ({ key, title: i18n._(title) })),
    ...columns.map(({ key, title }) => ({ key, title: title[language] })),
    { key: "time", title: t`Time, ms` },
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={styles.rows} tabIndex={0} aria-label={t`Table of files`}>
      <table aria-rowcount={rows.length + 1} style={{ width: `${NAMED + VALUE * columns.length}rem` }}>
        <thead>
          <tr aria-rowindex={1}>
            {titles.map(({ key, title }) => (
              <Heading key={key} of={key} title={title} sort={search.sort ?? "number"} change={change} />
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Gap rows={first} columns={titles.length} />}
          {rows.slice(first, last).map((row, index) => (
            <tr
              key={row.number}
              aria-rowindex={first + index + 2}
              className={row.number === search.file ? styles.selected : undefined}
            >
              <th scope="row">
                <button
                  type="button"
                  className={styles.sort}
                  aria-pressed={row.number === search.file}
                  aria-label={t`File ${row.number}: details`}
                  onClick={() => change({ file: row.number })}
                >
                  {row.number}
                </button>
              </th>
              <td title={row.file.file_id}>{row.file.file_id}</td>
              {hasTypes && <td>{groupName(row.file.group)}</td>}
              <td>
                {i18n._(stateWord(row.file.state))}
                {row.file.cause && `: ${i18n._(causeWord(row.file.cause))}`}
              </td>
              {columns.map(({ key, kind, places }) => (
                <td key={key} className={kind === "words" ? undefined : parts.number}>
                  {cellText(row.cells[key], kind, places, language)}
                </td>
              ))}
              <td className={parts.number}>{row.file.processing_ms ?? "—"}</td>
            </tr>
          ))}
          {last < rows.length && <Gap rows={rows.length - last} columns={titles.length} />}
        </tbody>
      </table>
      {rows.length === 0 && (
        <p>
          <Trans>No file is like this. Widen the filter.</Trans>
        </p>
      )}
    </section>
  );
}

function Gap({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tr>
      <td className={styles.gap} colSpan={columns} style={{ height: rows * ROW }} />
    </tr>
  );
}

interface HeadingProps {
  of: string;
  title: string;
  sort: string;
  change: (changed: FilesSearch) => void;
}

function Heading({ of, title, sort, change }: HeadingProps) {
  const direction = sort === of ? "ascending" : sort === `-${of}` ? "descending" : undefined;
  return (
    <th scope="col" aria-sort={direction}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => change({ sort: direction === "ascending" ? `-${of}` : of })}
      >
        {title}
        {direction === "ascending" && " ↑"}
        {direction === "descending" && " ↓"}
      </button>
    </th>
  );
}

/** Which rows of a scrolled box are near its view. */
function useWindow(box: React.RefObject<HTMLElement | null>, count: number) {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(512);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const scroll = () => setTop(element.scrollTop);
    const sized = new ResizeObserver(() => setHeight(element.clientHeight));
    element.addEventListener("scroll", scroll, { passive: true });
    sized.observe(element);
    return () => {
      element.removeEventListener("scroll", scroll);
      sized.disconnect();
    };
  }, [box]);
  const start = Math.min(Math.floor(top / ROW), Math.max(0, count - Math.ceil(height / ROW)));
  return {
    first: Math.max(0, start - BEYOND),
    last: Math.min(count, start + Math.ceil(height / ROW) + BEYOND),
    /** Bring a row into view. */
    look: (index: number) => {
      const element = box.current;
      const header = element?.querySelector("thead")?.offsetHeight ?? 0;
      const room = height - header - ROW;
      if (element && index * ROW < element.scrollTop) element.scrollTop = index * ROW;
      else if (element && index * ROW > element.scrollTop + room) element.scrollTop = index * ROW - room;
    },
  };
}

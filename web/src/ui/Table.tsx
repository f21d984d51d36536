import { rowSortingFeature, type SortingState, tableFeatures, useTable } from "@tanstack/react-table";
import {
  type HTMLAttributes,
  type ReactNode,
  type Ref,
  type TableHTMLAttributes,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { PHONE, useMedia } from "./controls";
import parts from "./parts.module.css";

/** Column of a table: its heading and its cells. */
export interface Column<Row> {
  /** Without a heading an empty cell stands above the column. */
  header?: ReactNode;
  /** The content of a cell; the index is the row's, from 0. */
  cell: (row: Row, index: number) => ReactNode;
  /** A class of each cell; the heading has none. */
  className?: string | undefined | ((row: Row) => string | undefined);
  /** The tooltip of a cell whose text may be cut. */
  title?: (row: Row) => string;
  /** Id of the column in `sorting`; with it the heading is a button that sorts. */
  id?: string;
  /** True if in a card the column has the whole width, under its heading. */
  wide?: true;
}

/** Order of the rows: the id of a column, after "-" if the greatest comes first. */
interface Sorting {
  by: string;
  change: (by: string) => void;
  className?: string | undefined;
}

interface TableProps<Row> {
  rows: readonly Row[];
  /** Columns in their order; false ones are left out, so that a column may depend on a right. */
  columns: readonly (Column<Row> | false | null | undefined)[];
  /** Key that tells a row from all others; the index if rows never change their order. */
  rowKey: (row: Row, index: number) => string | number;
  /** Index of the column whose cells name their rows for screen readers; -1 for none. */
  rowHeader?: number;
  /** Names the region in which a table wider than the page scrolls, by keyboard, too; without it none is around. On a
   * phone such a table becomes cards. */
  label?: string;
  /** True for cards on a phone also without `label`, if the region is around the table already. */
  folds?: boolean;
  caption?: ReactNode;
  /** Content shown in the table's place when it has no rows. */
  empty?: ReactNode;
  /** Current order of the rows, which come sorted, and the request for another order. */
  sorting?: Sorting;
  /** Content of a row across all columns after the first; nothing if the row has their cells. */
  across?: (row: Row, index: number) => ReactNode;
  /** A line of the whole width under the columns. */
  foot?: ReactNode;
  /** Rows of the table's body, `<tr>`, around those of `rows`. */
  before?: ReactNode;
  after?: ReactNode;
  rowProps?: (row: Row, index: number) => HTMLAttributes<HTMLTableRowElement> & Record<`data-${string}`, unknown>;
  tableProps?: TableHTMLAttributes<HTMLTableElement> & { ref?: Ref<HTMLTableElement> };
}

const features = tableFeatures({ rowSortingFeature });

/** A table of rows that all have the same columns. Where no column has a heading, the table has no head. */
export function Table<Row>({ columns, empty, label, folds = label !== undefined, ...rest }: TableProps<Row>) {
  if (rest.rows.length === 0 && empty !== undefined) return <p>{empty}</p>;
  const filled = { columns: columns.filter((column) => !!column), ...rest };
  const table = folds && !rest.before && !rest.after ? <Folding {...filled} /> : <Filled {...filled} />;
  if (label === undefined) return table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={parts.wide} tabIndex={0} aria-label={label}>
      {table}
    </section>
  );
}

/** Table if it has room; on a phone that is too narrow for it, a card for each row. */
function Folding<Row>(props: FilledProps<Row>) {
  const phone = useMedia(PHONE);
  const frame = useRef<HTMLDivElement>(null);
  /** Width that the table needs, in pixels; null while it has room. */
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const table = frame.current?.querySelector("table");
    const room = frame.current?.clientWidth ?? 0;
    if (phone && table && table.scrollWidth > room) setWidth(table.scrollWidth);
  });
  useEffect(() => {
    const element = frame.current;
    if (!element || width === null) return;
    const observer = new ResizeObserver(() => {
      if (!matchMedia(PHONE).matches || element.clientWidth >= width) setWidth(null);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [width]);
  return <div ref={frame}>{width === null ? <Filled {...props} /> : <Cards {...props} />}</div>;
}

function Cards<Row>({ rows, columns, rowKey, rowHeader = 0, across, ...rest }: FilledProps<Row>) {
  return (
    <>
      {rest.caption && <p className={parts.note}>{rest.caption}</p>}
      <ul className={parts.cards}>
        {rows.map((row, index) => {
          const wide = across?.(row, index);
          const narrow = wide ? [] : columns.filter((_, place) => place !== rowHeader);
          return (
            <li key={rowKey(row, index)} {...(rest.rowProps?.(row, index) as HTMLAttributes<HTMLLIElement>)}>
              {columns[rowHeader] && <strong>{columns[rowHeader].cell(row, index)}</strong>} {wide}
              {narrow.length > 0 && (
                <dl>
                  {narrow.map(({ header, cell, wide: isWide }, place) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the place is the column's name
                    <div key={place} data-wide={isWide}>
                      <dt>{header}</dt>
                      <dd>{cell(row, index)}</dd>
                    </div>
                  ))}
                </dl>
              )}
            </li>
          );
        })}
      </ul>
      {rest.foot && <p>{rest.foot}</p>}
    </>
  );
}

type FilledProps<Row> = Omit<TableProps<Row>, "columns" | "empty" | "label" | "folds"> & {
  columns: readonly Column<Row>[];
};

function Filled<Row>({ rows, columns, rowKey, rowHeader = 0, sorting, across, foot, ...rest }: FilledProps<Row>) {
  const table = useTable({
    features,
    data: rows.map((row) => ({ row })),
    getRowId: ({ row }, index) => String(rowKey(row, index)),
    columns: columns.map(({ id }, index) => ({
      id: id ?? String(index),
      accessorFn: () => null,
      enableSorting: !!id,
      sortDescFirst: false,
    })),
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
    state: { sorting: sorting ? [stateOf(sorting.by)] : [] },
    onSortingChange: (update) => {
      const [next] = typeof update === "function" ? update(sorting ? [stateOf(sorting.by)] : []) : update;
      if (next) sorting?.change(next.desc ? `-${next.id}` : next.id);
    },
  });
  return (
    <table {...rest.tableProps}>
      {rest.caption && <caption>{rest.caption}</caption>}
      {columns.some(({ header }) => header !== undefined) && (
        <thead>
          <tr aria-rowindex={rest.tableProps?.["aria-rowcount"] && 1}>
            {table.getFlatHeaders().map(({ id, column }, index) => {
              const header = columns[index]?.header;
              if (header === undefined) return <td key={id} />;
              const sorted = column.getIsSorted();
              return (
                <th key={id} scope="col" aria-sort={sorted ? DIRECTIONS[sorted] : undefined}>
                  {sorting && column.getCanSort() ? (
                    <button type="button" className={sorting.className} onClick={column.getToggleSortingHandler()}>
                      {header}
                      {sorted && SIGNS[sorted]}
                    </button>
                  ) : (
                    header
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
      )}
      <tbody>
        {rest.before}
        {table.getRowModel().rows.map(({ id, index, original: { row } }) => {
          const wide = across?.(row, index);
          return (
            <tr key={id} {...rest.rowProps?.(row, index)}>
              {(wide ? columns.slice(0, 1) : columns).map(({ cell, className, title }, place) => {
                const Cell = place === rowHeader ? "th" : "td";
                return (
                  <Cell
                    // biome-ignore lint/suspicious/noArrayIndexKey: the place is the column's name
                    key={place}
                    scope={place === rowHeader ? "row" : undefined}
                    className={typeof className === "function" ? className(row) : className}
                    title={title?.(row)}
                  >
                    {cell(row, index)}
                  </Cell>
                );
              })}
              {wide && <td colSpan={columns.length - 1}>{wide}</td>}
            </tr>
          );
        })}
        {rest.after}
      </tbody>
      {foot && (
        <tfoot>
          <tr>
            <td colSpan={columns.length}>{foot}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

const DIRECTIONS = { asc: "ascending", desc: "descending" } as const;
const SIGNS = { asc: " ↑", desc: " ↓" } as const;

function stateOf(by: string): SortingState[number] {
  return by.startsWith("-") ? { id: by.slice(1), desc: true } : { id: by, desc: false };
}

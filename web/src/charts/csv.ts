export type Cell = string | number | null;

/** What spreadsheet programs take for the beginning of a formula; the platform's own tables go by the same list. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const SPECIAL = /[",\r\n]/;

/** A table as CSV (RFC 4180) with a byte order mark, without which Excel takes Cyrillic letters for others. */
export function csvOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, ...rows].map((row) => row.map(written).join(","));
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

/** A number as it is, even a negative one; a text that would be run as a formula has an apostrophe before it. */
function written(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { save } from "@/ui/controls";
import { Table } from "@/ui/Table";
import styles from "./charts.module.css";

interface ChartProps extends Figure {
  /** Finding of the chart, as a sentence. */
  finding: string;
  size: readonly [width: number, height: number];
  look: string | undefined;
  /** Descriptions of the points, one for each row. */
  labels: readonly string[];
  /** Rows as people read them, if these differ from the rows for programs. */
  cells?: readonly (readonly ReactNode[])[];
  children: (at: number | null) => ReactNode;
}

/** Chart with its finding above: ← and → walk it, a button shows it as a table, and it can be saved as a file. */
export function Chart({ finding, size, look, labels, cells, children, ...rest }: ChartProps) {
  const svg = useRef<SVGSVGElement>(null);
  const [asTable, setAsTable] = useState(false);
  const { at, setAt, walk } = useWalk(rest.rows.length, ALONG);
  const table = useId();
  return (
    <figure className={styles.figure}>
      <figcaption>{finding}</figcaption>
      <svg
        ref={svg}
        className={look}
        viewBox={`0 0 ${size.join(" ")}`}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk it
        tabIndex={0}
        aria-label={finding}
        onKeyDown={walk}
        onBlur={() => setAt(null)}
      >
        {children(at)}
      </svg>
      <p className={styles.told} role="status">
        {at !== null && labels[at]}
      </p>
      <div className={styles.tools}>
        <button type="button" aria-expanded={asTable} aria-controls={table} onClick={() => setAsTable(!asTable)}>
          <Trans>The same as a table</Trans>
          <span className="sr-only"> · {rest.name}</span>
        </button>
        <SaveChart of={rest} picture={() => svg.current && pictureOf(svg.current, finding)} />
      </div>
      <div id={table} hidden={!asTable}>
        {asTable && <Twin name={rest.name} columns={rest.columns} rows={cells ?? rest.rows} />}
      </div>
    </figure>
  );
}

function Twin({ name, columns, rows }: Pick<Figure, "name" | "columns"> & { rows: readonly (readonly ReactNode[])[] }) {
  return (
    <Table
      caption={<span className="sr-only">{name}</span>}
      rows={rows}
      rowKey={(_, at) => at}
      rowHeader={-1}
      columns={columns.map((column, place) => ({ header: column, cell: (row: readonly ReactNode[]) => row[place] }))}
    />
  );
}

export interface Figure {
  name: string;
  file: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** Buttons that save a chart as a file, made here: SVG to print, PNG for slides, CSV for calculations. */
export function SaveChart({ of, picture }: { of: Figure; picture: () => SVGSVGElement | null }) {
  const { t } = useLingui();
  const { name, file } = of;
  const forms: [string, string, () => Promise<Blob | null> | Blob | null][] = [
    [
      "SVG",
      t`Save ${name} as SVG`,
      () => from(picture(), (svg) => new Blob([serialized(svg)], { type: "image/svg+xml" })),
    ],
    ["PNG", t`Save ${name} as PNG`, () => from(picture(), pngOf)],
    ["CSV", t`Save ${name} as CSV`, () => new Blob([csvOf(of.columns, of.rows)], { type: "text/csv" })],
  ];
  const keep = async (form: string, content: Promise<Blob | null> | Blob | null) => {
    const blob = await content;
    if (blob) save(blob, `${file}.${form.toLowerCase()}`);
  };
  return (
    <span className={styles.save}>
      {forms.map(([form, label, make]) => (
        <button key={form} type="button" aria-label={label} onClick={() => void keep(form, make())}>
          {form}
        </button>
      ))}
    </span>
  );
}

function from<T>(picture: SVGSVGElement | null, make: (svg: SVGSVGElement) => T): T | null {
  return picture && make(picture);
}

const NAMESPACE = "http://www.w3.org/2000/svg";
/** Style properties copied into a saved chart, which does not have the page's style sheet. */
const PROPERTIES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "text-anchor"];
const SCALE = 3;
const NAMES = 180;
const LINE = 24;

/** Return a copy of a chart that looks the same without this page; the finding is the picture's title. */
export function pictureOf(chart: SVGSVGElement, finding: string): SVGSVGElement {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const { width, height } = chart.viewBox.baseVal;
  sized(copy, width, height);
  const originals = [chart, ...chart.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [at, original] of originals.entries()) {
    const computed = getComputedStyle(original);
    const copied = copies[at];
    copied?.removeAttribute("class");
    for (const property of PROPERTIES) copied?.setAttribute(property, computed.getPropertyValue(property));
  }
  for (const attribute of ["tabindex", "role", "aria-label", "data-chart"]) copy.removeAttribute(attribute);
  if (finding) copy.prepend(titled(finding));
  return copy;
}

/** Return the charts of a table's rows as one picture: one below the other, each after its row's name. */
export function stackOf(charts: readonly { name: string; chart: SVGSVGElement }[], finding: string): SVGSVGElement {
  const all = document.createElementNS(NAMESPACE, "svg");
  let wide = 0;
  for (const [at, { name, chart }] of charts.entries()) {
    const part = pictureOf(chart, "");
    const { fontFamily, color } = getComputedStyle(chart);
    const text = document.createElementNS(NAMESPACE, "text");
    text.textContent = name;
    const look = { y: (at + 0.7) * LINE, x: 4, "font-family": fontFamily, "font-size": 12, fill: color };
    for (const [key, value] of Object.entries(look)) text.setAttribute(key, String(value));
    part.setAttribute("x", String(NAMES));
    part.setAttribute("y", String(at * LINE));
    wide = Math.max(wide, part.viewBox.baseVal.width);
    all.append(text, part);
  }
  sized(all, NAMES + wide, charts.length * LINE);
  all.prepend(titled(finding));
  return all;
}

/** Return the picture as PNG on the page's background colour; null without a canvas. */
async function pngOf(picture: SVGSVGElement): Promise<Blob | null> {
  const image = new Image();
  // The content security policy allows images from data: addresses, not from blob: ones.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(serialized(picture))}`;
  await image.decode();
  const { width, height } = picture.viewBox.baseVal;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function sized(picture: SVGSVGElement, width: number, height: number): void {
  picture.setAttribute("xmlns", NAMESPACE);
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", String(width));
  picture.setAttribute("height", String(height));
}

function titled(finding: string): SVGTitleElement {
  const title = document.createElementNS(NAMESPACE, "title");
  title.textContent = finding;
  return title;
}

function serialized(picture: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(picture);
}

type Cell = string | number | null;

/** First characters that spreadsheet programs read as a formula; the platform's own tables use the same list. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const SPECIAL = /[",\r\n]/;

/** Return a table as CSV (RFC 4180) with a byte order mark, without which Excel misreads Cyrillic letters. */
export function csvOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, ...rows].map((row) => row.map(written).join(","));
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

/** Return a cell as CSV text: numbers unchanged, even negative ones; a formula-like text gets an apostrophe first. */
function written(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Steps of the arrow keys, in points of the chart. */
type Steps = Readonly<Record<string, number>>;
export const ALONG: Steps = { ArrowRight: 1, ArrowLeft: -1 };
export const DOWN: Steps = { ArrowDown: 1, ArrowUp: -1 };

/** Return the point that a step leads to: into the chart from outside, and never beyond its ends. */
export function next(at: number | null, step: number, count: number): number {
  return Math.max(0, Math.min(count - 1, (at ?? (step > 0 ? -1 : count)) + step));
}

/** Let arrow keys walk over a chart's points. */
export function useWalk(count: number, steps: Steps) {
  const [at, setAt] = useState<number | null>(null);
  const walk = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (!step || count === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setAt((now) => next(now, step, count));
  };
  return { at: at !== null && at < count ? at : null, setAt, walk };
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Shorten a text to at most `most` characters as a person counts them; "…" marks the cut. */
export function short(text: string, most: number): string {
  const all = [...SEGMENTER.segment(text)];
  if (all.length <= most) return text;
  return `${all
    .slice(0, Math.max(0, most - 1))
    .map(({ segment }) => segment)
    .join("")
    .trimEnd()}…`;
}

import { useLingui } from "@lingui/react/macro";
import { save } from "@/ui/controls";
import styles from "./charts.module.css";
import { type Cell, csvOf } from "./csv";
import { pngOf, svgOf } from "./pictures";

export interface Kept {
  /** What the chart is called where there are several. */
  name: string;
  /** What its files are called. */
  file: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** A chart as a file, made here: SVG to print, PNG for slides, CSV to reckon with. */
export function SaveChart({ of, picture }: { of: Kept; picture: () => SVGSVGElement | null }) {
  const { t } = useLingui();
  const { name, file } = of;
  const forms: [string, string, () => Promise<Blob | null> | Blob | null][] = [
    ["SVG", t`Save ${name} as SVG`, () => from(picture(), svgOf)],
    ["PNG", t`Save ${name} as PNG`, () => from(picture(), pngOf)],
    ["CSV", t`Save ${name} as CSV`, () => new Blob([csvOf(of.columns, of.rows)], { type: "text/csv" })],
  ];
  const keep = async (form: string, made: Promise<Blob | null> | Blob | null) => {
    const blob = await made;
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

function from<T>(picture: SVGSVGElement | null, make: (of: SVGSVGElement) => T): T | null {
  return picture && make(picture);
}

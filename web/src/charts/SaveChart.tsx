import { useLingui } from "@lingui/react/macro";
import type { RefObject } from "react";
import { save } from "@/ui/save";
import styles from "./charts.module.css";

/** What a chart looks like lies in the page's style; a file of its own has to carry it. */
const PROPERTIES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "text-anchor"];
const SCALE = 3;

/** A chart as a file, made here: SVG to print, PNG for slides. */
export function SaveChart({ of, name, file }: { of: RefObject<SVGSVGElement | null>; name: string; file: string }) {
  const { t } = useLingui();
  return (
    <span className={styles.save}>
      <button type="button" aria-label={t`Save ${name} as SVG`} onClick={() => of.current && saveSvg(of.current, file)}>
        SVG
      </button>
      <button
        type="button"
        aria-label={t`Save ${name} as PNG`}
        onClick={() => of.current && void savePng(of.current, file)}
      >
        PNG
      </button>
    </span>
  );
}

function saveSvg(chart: SVGSVGElement, file: string): void {
  save(new Blob([alone(chart)], { type: "image/svg+xml" }), `${file}.svg`);
}

async function savePng(chart: SVGSVGElement, file: string): Promise<void> {
  const image = new Image();
  // The policy lets images come from data: addresses, not from blob: ones.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alone(chart))}`;
  await image.decode();
  const { width, height } = chart.viewBox.baseVal;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((made) => made && save(made, `${file}.png`), "image/png");
}

/** The chart as a document that looks the same without this page. */
function alone(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const { width, height } = chart.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const originals = [chart, ...chart.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [at, original] of originals.entries()) {
    const computed = getComputedStyle(original);
    const copied = copies[at];
    copied?.removeAttribute("class");
    for (const property of PROPERTIES) copied?.setAttribute(property, computed.getPropertyValue(property));
  }
  return new XMLSerializer().serializeToString(copy);
}

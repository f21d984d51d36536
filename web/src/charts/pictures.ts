const NAMESPACE = "http://www.w3.org/2000/svg";
/** What a chart looks like lies in the page's style; a file of its own has to carry it. */
const PROPERTIES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "text-anchor"];
const SCALE = 3;
const NAMES = 180;
const LINE = 24;

/** A chart as a picture that looks the same without this page; its finding is the picture's title. */
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

/** The charts of a table's rows as one picture: their names before them, one below the other. */
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

export function svgOf(picture: SVGSVGElement): Blob {
  return new Blob([written(picture)], { type: "image/svg+xml" });
}

/** The picture in pixels, on the ground of the page. */
export async function pngOf(picture: SVGSVGElement): Promise<Blob | null> {
  const image = new Image();
  // The policy lets images come from data: addresses, not from blob: ones.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(written(picture))}`;
  await image.decode();
  const { width, height } = picture.viewBox.baseVal;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((made) => canvas.toBlob(made, "image/png"));
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

function written(picture: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(picture);
}

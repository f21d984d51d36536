import type { Span } from "./graphemes";

/** Where one line of a span is painted, relative to the surface. */
export interface LineBox {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The text node of each paragraph with the place of its first character. */
export interface Laid {
  readonly surface: HTMLElement;
  readonly paragraphs: readonly Span[];
}

export function nodeAt({ surface, paragraphs }: Laid, paragraph: number, at: number): [Text, number] | null {
  const node = surface.children[paragraph]?.firstChild;
  const span = paragraphs[paragraph];
  if (!(node instanceof Text) || !span) return null;
  return [node, Math.min(Math.max(at - span.start, 0), node.length)];
}

/** The lines on which a span stands, within one paragraph. */
export function linesOf(laid: Laid, paragraph: number, span: Span): LineBox[] {
  const start = nodeAt(laid, paragraph, span.start);
  const end = nodeAt(laid, paragraph, span.end);
  if (!start || !end) return [];
  const range = document.createRange();
  range.setStart(...start);
  range.setEnd(...end);
  const origin = laid.surface.getBoundingClientRect();
  const lines: LineBox[] = [];
  for (const { left, right, top, bottom } of range.getClientRects()) {
    if (right - left < 0.5) continue;
    const box = {
      left: left - origin.left,
      right: right - origin.left,
      top: top - origin.top,
      bottom: bottom - origin.top,
    };
    const last = lines.at(-1);
    // Characters of another font (an emoji) make boxes of their own on the same line.
    if (last && box.top < last.bottom - 2 && box.bottom > last.top + 2) lines[lines.length - 1] = around(last, box);
    else lines.push(box);
  }
  return lines;
}

function around(one: LineBox, other: LineBox): LineBox {
  return {
    left: Math.min(one.left, other.left),
    right: Math.max(one.right, other.right),
    top: Math.min(one.top, other.top),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** The place in the text of a border of the browser's selection; null outside the surface. */
export function placeOf({ surface, paragraphs }: Laid, node: Node, offset: number): number | null {
  if (!surface.contains(node)) return null;
  if (node === surface) return paragraphs[offset]?.start ?? paragraphs.at(-1)?.end ?? 0;
  const element = node instanceof Text ? node.parentElement : node;
  const span = paragraphs[Array.prototype.indexOf.call(surface.children, element)];
  if (!span) return null;
  if (node instanceof Text) return span.start + offset;
  return offset === 0 ? span.start : span.end;
}

/** Selects a span as if somebody had dragged over it, or sets the caret there. */
export function select(laid: Laid, span: Span, paragraphOf: (at: number) => number): void {
  const start = nodeAt(laid, paragraphOf(span.start), span.start);
  const last = span.end > span.start ? paragraphOf(span.end - 1) : paragraphOf(span.end);
  const end = nodeAt(laid, last, span.end);
  if (start && end) document.getSelection()?.setBaseAndExtent(...start, ...end);
}

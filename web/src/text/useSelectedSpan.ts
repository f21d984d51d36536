import { type RefObject, useEffect, useRef } from "react";
import { type Laid, placeOf } from "./geometry";
import type { Span } from "./graphemes";

/** Tells of every change of the browser's selection inside the surface; a caret is an empty span. */
export function useSelectedSpan(laid: RefObject<Laid | null>, told: (span: Span) => void): void {
  const latest = useRef(told);
  latest.current = told;
  useEffect(() => {
    const changed = () => {
      const found = laid.current && selectedSpan(laid.current);
      if (found) latest.current(found);
    };
    document.addEventListener("selectionchange", changed);
    return () => document.removeEventListener("selectionchange", changed);
  }, [laid]);
}

export function selectedSpan(laid: Laid): Span | null {
  const selection = document.getSelection();
  if (!selection || selection.rangeCount === 0) return null;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  const start = placeOf(laid, startContainer, startOffset);
  const end = placeOf(laid, endContainer, endOffset);
  return start === null || end === null ? null : { start, end };
}

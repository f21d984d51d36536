import { type RefObject, useEffect } from "react";

const GAP = 8;

/** Tells the columns beside the text how much of the window is left to them, wherever the page is scrolled to. */
export function useRoom(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const measure = () => {
      const [header, columns] = ["toolbar", "columns"].map((name) => element.querySelector(`[data-part=${name}]`));
      if (!header || !columns) return;
      const under = header.getBoundingClientRect().height + GAP;
      const top = Math.max(under, columns.getBoundingClientRect().top);
      element.style.setProperty("--under", `${under}px`);
      element.style.setProperty("--room", `${Math.max(0, window.innerHeight - top - GAP)}px`);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    measure();
    return () => {
      observer.disconnect();
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [root]);
}

import { useEffect } from "react";

/** Keys with Ctrl (or Cmd), by their place on the keyboard, wherever the focus is, while `on`. */
export function useControlKeys(keys: ReadonlyMap<string, () => void>, on: boolean): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!on || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      const work = keys.get((event.shiftKey ? "Shift+" : "") + event.code);
      if (!work) return;
      event.preventDefault();
      work();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
}

import { useEffect, useSyncExternalStore } from "react";
import { isTyping } from "@/ui/keys";

type Keys = ReadonlyMap<string, (event: KeyboardEvent) => void>;

/** The page's keys by their place on the keyboard; Enter stays with whatever control has the focus. */
export function usePageKeys(keys: Keys): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      if (event.code === "Enter" && (event.target as Element).closest("button, a, summary")) return;
      if (localStorage.getItem("hurdle.keys") === "off") return;
      const work = keys.get(event.code);
      if (!work) return;
      event.preventDefault();
      work(event);
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
}

/** Whether two texts fit beside each other. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      WIDE.addEventListener("change", changed);
      return () => WIDE.removeEventListener("change", changed);
    },
    () => WIDE.matches,
  );
}

const WIDE = window.matchMedia("(min-width: 1100px)");

import { useEffect, useSyncExternalStore } from "react";

let count = 0;
const listeners = new Set<() => void>();

/** Says, while it is so, that this page has changes that the platform does not have yet. */
export function useUnsaved(when: boolean): void {
  useEffect(() => {
    if (!when) return;
    add(1);
    return () => add(-1);
  }, [when]);
}

export function useIsUnsaved(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => count > 0,
  );
}

function add(by: number): void {
  count += by;
  for (const listener of listeners) listener();
}

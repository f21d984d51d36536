import { useEffect, useSyncExternalStore } from "react";

export interface KeyHelp {
  keys: string;
  does: string;
}

let own: readonly KeyHelp[] = [];
const listeners = new Set<() => void>();

/** Tell the list of keys what this page's own are, while it is open. */
export function useKeyHelp(help: readonly KeyHelp[]): void {
  const text = JSON.stringify(help);
  useEffect(() => {
    become(JSON.parse(text) as KeyHelp[]);
    return () => become([]);
  }, [text]);
}

export function usePageKeys(): readonly KeyHelp[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => own,
  );
}

/** Whether what is pressed is text for a field, so that no letter may be a key. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest("input:not([type=checkbox]), textarea, select, dialog[open]") !== null
  );
}

function become(next: readonly KeyHelp[]): void {
  own = next;
  for (const listener of listeners) listener();
}

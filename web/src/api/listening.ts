/** Listeners to one thing, as React's stores subscribe to it, and how they are told that it has changed. */
export function listening() {
  const listeners = new Set<() => void>();
  return {
    on: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: (): void => {
      for (const listener of listeners) listener();
    },
  };
}

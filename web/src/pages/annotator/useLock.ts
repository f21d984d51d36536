import { useCallback, useEffect, useState } from "react";

/** Whether this tab alone has the essay; another tab may take it over, and then this one only shows it. */
export function useLock(name: string): { held: boolean; asked: boolean; takeOver: () => void } {
  const [state, setState] = useState({ held: false, asked: false });
  const [steal, setSteal] = useState(0);
  const takeOver = useCallback(() => setSteal((times) => times + 1), []);
  useEffect(() => {
    const leaving = new AbortController();
    const held = () => {
      setState({ held: true, asked: true });
      return new Promise<void>((release) => leaving.signal.addEventListener("abort", () => release()));
    };
    const options = steal > 0 ? { steal: true } : { ifAvailable: true };
    navigator.locks
      .request(name, options, (lock) =>
        lock && !leaving.signal.aborted ? held() : setState({ held: false, asked: true }),
      )
      // The lock was taken over.
      .catch(() => !leaving.signal.aborted && setState({ held: false, asked: true }));
    return () => leaving.abort();
  }, [name, steal]);
  return { ...state, takeOver };
}

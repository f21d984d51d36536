import { useEffect, useState, useSyncExternalStore } from "react";
import { now, offset, onOffset } from "@/api/clock";

/** The platform's time, renewed every `everyMs` while the page is seen. */
export function useNow(everyMs = 1000): number {
  useSyncExternalStore(onOffset, offset);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) tick((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now();
}

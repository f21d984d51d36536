/**
 * Keeps the page itself on this device, so that an essay can be opened again without a network: a service worker with
 * the files that this page was made of. It is asked for by those alone who mark essays.
 */

const WORKER = "/worker.js";
const ASSETS = "/assets/";

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): {
    createScriptURL: (address: string) => unknown;
  };
}

let begun = false;

export function keepPage(): void {
  if (begun || !("serviceWorker" in navigator)) return;
  begun = true;
  // A browser that keeps no page goes on as before.
  void begin().catch(() => undefined);
}

async function begin(): Promise<void> {
  await navigator.serviceWorker.register(trusted(WORKER) as string);
  const { active } = await navigator.serviceWorker.ready;
  const tell = (entries: readonly PerformanceEntry[]) => {
    const files = entries.map(({ name }) => new URL(name)).filter(isOurs);
    if (files.length > 0) active?.postMessage({ keep: files.map(({ pathname }) => pathname) });
  };
  new PerformanceObserver((list) => tell(list.getEntries())).observe({ type: "resource", buffered: true });
}

function isOurs({ origin, pathname }: URL): boolean {
  return origin === location.origin && (pathname.startsWith(ASSETS) || pathname === "/hurdle.svg");
}

/** The page's policy takes a script's address only from this one maker, and this maker knows one address. */
function trusted(address: string): unknown {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (!types) return address;
  const policy = types.createPolicy("hurdle", {
    createScriptURL: (asked) => {
      if (asked !== WORKER) throw new TypeError(`no script is loaded from ${asked}`);
      return asked;
    },
  });
  return policy.createScriptURL(address);
}

import type { Pool, Tokens } from "./oauth";
import { begin, forgetDrafts, giveAway, isSamePerson } from "./session";

/** Between the windows of this site: a sign-in goes from the one that has just made it to the one that asked for it. */
const CHANNEL = "hurdle.sign-in";

interface Given {
  to: string;
  pool: Pool;
  tokens: Tokens;
}

/** Wait for the sign-in that another window makes for this one, which it knows by a name; returns how to stop. */
export function onSignIn(name: string): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<Given>) => {
    if (data.to !== name) return;
    const isSame = isSamePerson(data.tokens);
    begin(data.pool, data.tokens);
    if (isSame) return;
    // Somebody else's sign-in takes over nothing of what this window holds.
    forgetDrafts();
    location.assign("/");
  });
  return () => channel.close();
}

/** Give the sign-in of this window to the one that waits under a name; false where nothing is there to give. */
export function give(name: string): boolean {
  const given = giveAway();
  if (!given) return false;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage({ to: name, ...given } satisfies Given);
  channel.close();
  return true;
}

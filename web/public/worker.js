/**
 * Without a network the annotator opens again from what it was made of: the page and its hashed files, nothing of the
 * interface. With a network every page comes from the platform.
 */
const CACHE = "hurdle-page";
const PAGE = "/index.html";
const MARK = "/hurdle.svg";
const ASSETS = "/assets/";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => event.waitUntil(keep(event.data.keep)));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(freshOr(PAGE, request));
  else if (pathname === MARK) event.respondWith(freshOr(MARK, request));
  else if (pathname.startsWith(ASSETS)) event.respondWith(asset(request));
});

/** From the platform; what was kept without it. */
async function freshOr(name, request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(name);
    if (kept) return kept;
    throw error;
  }
}

/** A hashed file never changes its content. */
async function asset(request) {
  return (await (await caches.open(CACHE)).match(request)) ?? fetch(request);
}

/** Keep the page with these files of it; what an earlier version of the page was made of goes. */
async function keep(files) {
  const cache = await caches.open(CACHE);
  const fresh = await fetch(PAGE, { cache: "no-cache" });
  if (!fresh.ok) return;
  const text = await fresh.clone().text();
  const before = await cache.match(PAGE);
  if (before && (await before.text()) !== text) {
    for (const each of await cache.keys()) await cache.delete(each);
  }
  for (const file of files) if (!(await cache.match(file))) await cache.add(file);
  await cache.put(PAGE, fresh);
}

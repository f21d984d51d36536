import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

export const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
export const ENTRY = "index.html";
/** @type {Record<string, string>} */
const TYPES = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".html": "text/html",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/**
 * The built site on a port of its own; what `answer` gives for a path stands before the site's files, and the platform's
 * paths that it does not know answer 503.
 * @param {(path: string, method: string) => string | null} answer
 * @param {string} dist
 */
export async function serve(answer, dist = DIST) {
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const own = answer(path, request.method ?? "GET");
    if (own === null && (path.startsWith("/v1/") || path === "/favicon.ico")) return response.writeHead(503).end();
    const type = own?.startsWith("{") ? ".json" : extname(path) || ".html";
    const content = own ?? readFileSync(dist + (extname(path) ? path.slice(1) : ENTRY));
    response.writeHead(200, { "content-type": TYPES[type] ?? "application/octet-stream" }).end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  return { server, port: typeof address === "object" && address ? address.port : 0 };
}

// A program in TypeScript, on the client that openapi-typescript and openapi-fetch make of the API's document:
// node session.js ADDRESS TOKEN. It answers every file of a session with one fragment, waits for a line on its input,
// and prints what it was told.
import { once } from "node:events";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [baseUrl, token] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

function given<T>(reply: { data?: T; error?: unknown }): T {
  if (reply.data === undefined) throw new Error(JSON.stringify(reply.error));
  return reply.data;
}

const opened = given(await api.POST("/v1/sessions", { body: { mode: "algorithmic", set: "train", files: 2 } }));
const session_id = opened.session_id;
const { classifier } = given(await api.GET("/v1/classifier"));
if (!("subjects" in classifier)) throw new Error("a contest without codes");
const statuses: string[] = [];
for (;;) {
  const next = given(await api.GET("/v1/sessions/{session_id}/next", { params: { path: { session_id } } }));
  if (next.status === "complete" || next.number === null) break;
  const path = { session_id, number: next.number };
  const { content } = given(await api.GET("/v1/sessions/{session_id}/files/{number}", { params: { path } }));
  if (!("selections" in content)) throw new Error("no essay");
  const subject = content.meta.subject ?? Object.keys(classifier.subjects)[0] ?? "";
  const type = classifier.subjects[subject]?.[0]?.code;
  if (type === undefined) throw new Error(`no codes for ${subject}`);
  const selections = [{ startSelection: 0, endSelection: 5, type }];
  const body = { meta: { subject }, text: content.text, selections };
  const header = { "Idempotency-Key": crypto.randomUUID() };
  const answered = await api.PUT("/v1/sessions/{session_id}/files/{number}/answer", { params: { path, header }, body });
  statuses.push(given(answered).receipt.status);
}
const refused = await api.GET("/v1/sessions/{session_id}/files/{number}", {
  params: { path: { session_id, number: 99 } },
});
process.stdout.write("played\n");
await once(process.stdin, "data");
const report = await api.GET("/v1/sessions/{session_id}/report", { params: { path: { session_id } } });
const scored = given(report) as components["schemas"]["ReportBody"];
const essays = scored.result && "essays" in scored.result ? scored.result.essays : null;
const code = refused.error && "error" in refused.error ? refused.error.error.code : null;
console.log(JSON.stringify({ session_id, statuses, refused: code, essays }));
process.exit();

import { Program } from "./cabinetProgram.ts";
import { advance, ask, asOrganizer, drain, order, prepared, sessionOf } from "./cloud.ts";
import { FIRST, giveEssay, giveRatings, giveThird, type Marked, SECOND, THIRD } from "./experts.ts";
import { openNext, planned, rescoring, stopLeft, twoTeams } from "./runs.ts";

/** Kind of user who looks at a page; `visitor` has not signed in. */
export type Viewer = "visitor" | "participant" | "expert" | "third" | "rater" | "clinician" | "organizer";

export const EMAILS: Readonly<Record<Exclude<Viewer, "visitor">, string>> = {
  participant: "participant@example.org",
  expert: SECOND,
  third: THIRD,
  rater: FIRST,
  clinician: "clinician@example.org",
  organizer: "organizer@example.org",
};

export interface Site {
  /** The page's path as the router has it. */
  route: string;
  viewer: Viewer;
  /** Right without which the interface refuses the page's data; undefined for public pages. */
  right?: string;
  /** Part of the address after the path. */
  search?: string;
}

/** The site's pages by who looks at them and by which right, in the order of its rooms; a page of several looks has an
 * address for each. */
const LOOKED_AT: readonly (readonly [viewer: Viewer, right: string | undefined, addresses: readonly string[]])[] = [
  [
    "visitor",
    undefined,
    [
      "/",
      "/boards?open=pilot",
      "/runs",
      "/runs/$runId",
      "/announcements",
      "/take-part",
      "/kit",
      "/application",
      "/rules",
      "/knowledge",
      "/knowledge/$name",
      "/cycles",
      "/signin",
      "/signin/callback?code=x&state=y",
      "/signin/done/$name",
    ],
  ],
  [
    "participant",
    "cabinet",
    [
      "/cabinet",
      "/cabinet/sessions",
      "/cabinet/sessions/$sessionId",
      "/cabinet/sessions/$sessionId/report",
      "/cabinet/sessions/$sessionId/files?file=1",
      "/cabinet/sessions/$sessionId/receipts",
      "/cabinet/tokens",
      "/cabinet/team",
      "/cabinet/sets",
      "/cabinet/questions",
      "/cabinet/mails",
      "/cabinet/submissions",
      "/cabinet/submissions/$submissionId",
      "/cabinet/submissions/$submissionId/report",
      "/cabinet/submissions/$submissionId/log",
      "/cabinet/submissions/$submissionId/receipt",
      "/cabinet/private-test",
    ],
  ],
  ["participant", undefined, ["/sets/$name"]],
  [
    "participant",
    "read_sessions",
    [
      "/sessions/$sessionId/files/$number/comparison",
      "/sessions/$sessionId/files/$number/comparison?view=overlay&m=M3",
      "/sessions/$sessionId/files/$number/answer",
    ],
  ],
  ["expert", "mark_up", ["/assignments", "/assignments/$assignmentId"]],
  ["third", "mark_up", ["/assignments/$assignmentId"]],
  ["rater", "mark_up", ["/assignments/$assignmentId"]],
  ["clinician", "review", ["/round"]],
  ["organizer", undefined, ["/desk"]],
  [
    "organizer",
    "inspect_submissions",
    [
      "/desk/runs",
      "/desk/plan",
      "/desk/runs/$runId",
      "/desk/runs/$runId/replay",
      "/desk/settlement",
      "/desk/settlement/$runId",
      "/desk/settlement/$board/reveal",
    ],
  ],
  ["organizer", "verify_results", ["/desk/settlement/rescorings", "/desk/settlement/rescorings/$rescoringId"]],
  ["organizer", "inspect_submissions", ["/desk/settlement/annulments"]],
  ["organizer", "read_reports", ["/desk/conclusions?standing=all", "/desk/protocols", "/desk/teams/$teamId/sessions"]],
  [
    "organizer",
    "read_sessions",
    [
      "/desk/sessions/$sessionId",
      "/desk/sessions/$sessionId/course",
      "/desk/sessions/$sessionId/report",
      "/desk/sessions/$sessionId/files?file=1",
      "/desk/submitted/$submissionId",
      "/desk/submitted/$submissionId/report",
      "/desk/submitted/$submissionId/log",
    ],
  ],
  ["organizer", "inspect_submissions", ["/desk/submissions", "/desk/submitted", "/desk/submitted/private"]],
  [
    "organizer",
    "watch_assignments",
    [
      "/desk/experts",
      "/desk/experts/people",
      "/desk/experts/markings/$markingId",
      "/desk/experts/markings/$markingId/agreement",
    ],
  ],
  ["organizer", "read_reports", ["/desk/teams"]],
  ["organizer", "organize", ["/desk/teams/$teamId"]],
  ["organizer", "inspect_submissions", ["/desk/staff", "/desk/sets"]],
  ["organizer", "organize", ["/desk/imports/$importId"]],
  ["organizer", undefined, ["/desk/cycle", "/desk/parameters"]],
  ["organizer", "organize", ["/desk/announcing"]],
  ["organizer", "answer", ["/desk/questions"]],
  ["organizer", "hook", ["/desk/hooks"]],
  ["organizer", "organize", ["/desk/check", "/desk/audit"]],
  ["organizer", "inspect_submissions", ["/desk/operations"]],
  ["organizer", "organize", ["/desk/cost"]],
];

/** Every page of the site. */
export const PAGES: readonly Site[] = LOOKED_AT.flatMap(([viewer, right, addresses]) =>
  addresses.map((address) => {
    const [route = "", search] = address.split(/(?=\?)/);
    return { route, viewer, ...(right && { right }), ...(search && { search }) };
  }),
);

const ESSAY =
  "Пётр I правил с 1682 по 1725 год 😀. Губернская реформа 1708 года усилила власть царя. Меншиков взял Ригу.";
const MARKED: readonly (readonly Marked[])[] = [
  [
    ["Пётр I правил", "СЯП"],
    ["усилила власть царя", "СЛЕДСТВИЕ", { tag: "1" }],
    ["Меншиков взял Ригу", "И.личность", { comment: "не тот человек" }],
  ],
  [
    ["Пётр I правил", "СЯП"],
    ["1708 года", "И.период"],
  ],
];

/** Function from `site.route` and its viewer to an address that shows something, with the path's parameters set. */
export type Addresses = (site: Site) => string;

/** Fill the cloud so that every page has something to show: a final that is over, experts' work, a rescoring. */
export async function filled(): Promise<Addresses> {
  await order("/train");
  await twoTeams();
  await stopLeft();
  const { token } = await prepared();
  const runId = await planned({ set: "final", files: 2 });
  const program = await Program.join(runId, token);
  for (const number of [1, 2]) {
    await openNext(runId);
    if (number === 1) await program.answer(await program.take(number));
  }
  await advance(400);
  await drain();
  const sets = { train: await sessionOf(token, "train"), test: await sessionOf(token, "test") };
  const work = await experts();
  await clinician();
  const rescoringId = await rescoring({ sessions: [sets.test], reason: "a page to look at" });
  await drain();
  const { imports } = await asOrganizer<{ imports: { import_id: string }[] }>("GET", "/v1/imports");
  const { markings } = await asOrganizer<{ markings: { marking_id: string; created_at: string }[] }>(
    "GET",
    "/v1/markings",
  );
  const filling: Record<string, string> = {
    runId,
    rescoringId,
    number: "1",
    // The essays take none: what the page says of one that is nobody's. Their own tests show the others.
    submissionId: "100000000000000",
    board: "qualification",
    teamId: "pilot",
    name: "nobody",
    importId: imports[0]?.import_id ?? "",
    markingId: markings.findLast(({ marking_id: id }) => id.startsWith("third-"))?.marking_id ?? "",
  };
  return ({ route, viewer, search = "" }) => {
    const parts: Record<string, string> = {
      ...filling,
      sessionId: route.startsWith("/sessions") ? sets.train : sets.test,
      assignmentId: work[viewer] ?? "",
    };
    return route.replaceAll(/\$(\w+)/g, (_, part: string) => parts[part] ?? "") + search;
  };
}

/** Add a clinician to the staff; the essays open no round to clinicians, and the page says so. */
async function clinician(): Promise<void> {
  const { clinician: email } = EMAILS;
  await advance(1); // the organizer's second is full of what came before
  const { staff } = await asOrganizer<{ staff: { email: string }[] }>("GET", "/v1/staff");
  if (staff.some((each) => each.email === email)) return;
  await asOrganizer("POST", "/v1/staff", { email, name: "Sample clinician", role: "clinician" });
}

/** Give and open work of each kind: an essay, one that two experts differ in, explanations; return the ids. */
async function experts(): Promise<Partial<Record<Viewer, string>>> {
  const { third } = await giveThird(ESSAY, MARKED);
  const rater = await giveRatings(3);
  const { assignments } = await giveEssay();
  const given = { third, rater, expert: assignments[SECOND] as string };
  for (const [viewer, assignment] of Object.entries(given)) {
    const opened = await ask(EMAILS[viewer as keyof typeof given], "POST", `/v1/assignments/${assignment}/open`);
    if (opened.status !== 200) throw new Error(JSON.stringify(opened.body));
  }
  return given;
}

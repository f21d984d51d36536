import { Program } from "./cabinetProgram.ts";
import { advance, asOrganizer, CLOUD, drain, order, prepared } from "./cloud.ts";
import { ask, FIRST, giveEssay, giveRatings, giveThird, type Marked, SECOND, THIRD } from "./experts.ts";
import { afterRuns, openNext, planned, stopLeft, twoTeams } from "./runs.ts";

/** Who looks at a page; `visitor` has not signed in. */
export type Viewer = "visitor" | "participant" | "expert" | "third" | "rater" | "organizer";

export const EMAILS: Readonly<Record<Exclude<Viewer, "visitor">, string>> = {
  participant: "participant@example.org",
  expert: SECOND,
  third: THIRD,
  rater: FIRST,
  organizer: "organizer@example.org",
};

export interface Site {
  /** The page's path as the router has it. */
  route: string;
  viewer: Viewer;
  /** The right without which the interface refuses what the page shows; none of pages for everybody. */
  right?: string;
  /** What follows the path. */
  search?: string;
}

/** Every page of the site, in the order of its rooms; a page of several looks has a line for each. */
export const PAGES: readonly Site[] = [
  { route: "/", viewer: "visitor" },
  { route: "/boards", viewer: "visitor", search: "?open=pilot" },
  { route: "/runs", viewer: "visitor" },
  { route: "/runs/$runId", viewer: "visitor" },
  { route: "/announcements", viewer: "visitor" },
  { route: "/take-part", viewer: "visitor" },
  { route: "/kit", viewer: "visitor" },
  { route: "/application", viewer: "visitor" },
  { route: "/rules", viewer: "visitor" },
  { route: "/signin", viewer: "visitor" },
  { route: "/signin/callback", viewer: "visitor", search: "?code=x&state=y" },
  { route: "/signin/done/$name", viewer: "visitor" },
  { route: "/cabinet", viewer: "participant", right: "cabinet" },
  { route: "/cabinet/sessions", viewer: "participant", right: "cabinet" },
  { route: "/cabinet/sessions/$sessionId", viewer: "participant", right: "cabinet" },
  { route: "/cabinet/sessions/$sessionId/report", viewer: "participant", right: "cabinet" },
  { route: "/cabinet/sessions/$sessionId/files", viewer: "participant", right: "cabinet", search: "?file=1" },
  { route: "/cabinet/sessions/$sessionId/receipts", viewer: "participant", right: "cabinet" },
  { route: "/cabinet/tokens", viewer: "participant", right: "cabinet" },
  { route: "/cabinet/team", viewer: "participant", right: "cabinet" },
  { route: "/cabinet/sets", viewer: "participant", right: "cabinet" },
  { route: "/sessions/$sessionId/files/$number/comparison", viewer: "participant", right: "read_sessions" },
  {
    route: "/sessions/$sessionId/files/$number/comparison",
    viewer: "participant",
    right: "read_sessions",
    search: "?view=overlay&m=M3",
  },
  { route: "/sessions/$sessionId/files/$number/answer", viewer: "participant", right: "read_sessions" },
  { route: "/assignments", viewer: "expert", right: "mark_up" },
  { route: "/assignments/$assignmentId", viewer: "expert", right: "mark_up" },
  { route: "/assignments/$assignmentId", viewer: "third", right: "mark_up" },
  { route: "/assignments/$assignmentId", viewer: "rater", right: "mark_up" },
  { route: "/desk", viewer: "organizer" },
  { route: "/desk/runs", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/plan", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/runs/$runId", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/settlement", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/settlement/$runId", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/settlement/$board/reveal", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/settlement/rescorings", viewer: "organizer", right: "verify_results" },
  { route: "/desk/settlement/rescorings/$rescoringId", viewer: "organizer", right: "verify_results" },
  { route: "/desk/settlement/annulments", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/conclusions", viewer: "organizer", right: "read_reports", search: "?standing=all" },
  { route: "/desk/teams/$teamId/sessions", viewer: "organizer", right: "read_reports" },
  { route: "/desk/sessions/$sessionId", viewer: "organizer", right: "read_sessions" },
  { route: "/desk/sessions/$sessionId/course", viewer: "organizer", right: "read_sessions" },
  { route: "/desk/sessions/$sessionId/report", viewer: "organizer", right: "read_sessions" },
  { route: "/desk/sessions/$sessionId/files", viewer: "organizer", right: "read_sessions", search: "?file=1" },
  { route: "/desk/submissions", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/experts", viewer: "organizer", right: "watch_assignments" },
  { route: "/desk/experts/people", viewer: "organizer", right: "watch_assignments" },
  { route: "/desk/experts/markings/$markingId", viewer: "organizer", right: "watch_assignments" },
  { route: "/desk/experts/markings/$markingId/agreement", viewer: "organizer", right: "watch_assignments" },
  { route: "/desk/teams", viewer: "organizer", right: "read_reports" },
  { route: "/desk/teams/$teamId", viewer: "organizer", right: "organize" },
  { route: "/desk/staff", viewer: "organizer", right: "organize" },
  { route: "/desk/sets", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/imports/$importId", viewer: "organizer", right: "organize" },
  { route: "/desk/parameters", viewer: "organizer" },
  { route: "/desk/announcing", viewer: "organizer", right: "organize" },
  { route: "/desk/check", viewer: "organizer", right: "organize" },
  { route: "/desk/audit", viewer: "organizer", right: "organize" },
  { route: "/desk/operations", viewer: "organizer", right: "inspect_submissions" },
  { route: "/desk/cost", viewer: "organizer", right: "organize" },
];

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

/** What the parameters of the paths stand for: `site.route` and its viewer to an address that shows something. */
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
  const sets = { train: await session(token, "train"), test: await session(token, "test") };
  const work = await experts();
  await afterRuns();
  const { rescoring_id: rescoringId } = await asOrganizer<{ rescoring_id: string }>("POST", "/v1/rescorings", {
    sessions: [sets.test],
    reason: "a page to look at",
  });
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

/** Work of each kind, opened: an essay, one that two experts differ in, explanations to rate; who has which. */
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

async function session(token: string, set: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const { sessions } = await (await fetch(`${CLOUD}/v1/sessions`, { headers })).json();
  return sessions.find((each: { set: string }) => each.set === set).session_id;
}

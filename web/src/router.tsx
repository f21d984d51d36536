import { createRoute, createRouter, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import type { Room } from "@/i18n/rooms";
import { readFilesSearch } from "@/pages/cabinet/filesView";
import type { Search } from "@/pages/comparison/ComparisonPage";
import { readAudit, readCost } from "@/pages/office/data";
import { rootRoute } from "@/shell/Shell";
import { texts } from "@/ui/keys";
import { NotFound, RouteFailure, Skeleton } from "@/ui/Page";

/** Load the texts of site sections before the first of their pages is shown. */
function words(...rooms: readonly Room[]) {
  return async () => void (await Promise.all(rooms.map((room) => loadRoom(room))));
}

/** Return a function that reads only these texts from an address's search. */
function search<const Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>) => texts(search, names);
}

const loadHome = () => import("@/pages/public/Home");
const loadBoards = () => import("@/pages/public/Boards");
const loadRuns = () => import("@/pages/public/Runs");
const loadRun = () => import("@/pages/public/Run");
const loadTakePart = () => import("@/pages/public/TakePart");
const loadApplication = () => import("@/pages/public/Application");
const loadRules = () => import("@/pages/public/Rules");
const loadDocuments = () => import("@/pages/public/Documents");
const loadCycles = () => import("@/pages/public/Cycles");
const loadSignIn = () => import("@/pages/public/SignIn");
const loadSessions = () => import("@/pages/cabinet/Sessions");
const loadSession = () => import("@/pages/cabinet/Session");
const loadReport = () => import("@/pages/cabinet/Report");
const loadFiles = () => import("@/pages/cabinet/Files");
const loadReceipts = () => import("@/pages/cabinet/Receipts");
const loadQuestions = () => import("@/pages/cabinet/Questions");
const loadMails = () => import("@/pages/cabinet/Mails");
const loadTeam = () => import("@/pages/cabinet/Team");
const loadSets = () => import("@/pages/cabinet/Sets");
const loadAssignmentsPage = () => import("@/pages/annotator/AssignmentsPage");
const loadAssignmentPage = () => import("@/pages/annotator/AssignmentPage");
const loadRoundPage = () => import("@/pages/annotator/RoundPage");
const loadComparisonPage = () => import("@/pages/comparison/ComparisonPage");
const loadOwnAnswer = () => import("@/pages/comparison/OwnAnswer");
const loadOwn = () => import("@/pages/submissions/Own");
const loadPrivateTest = () => import("@/pages/submissions/PrivateTest");
const loadSubmitted = () => import("@/pages/submissions/Submitted");
const loadDesk = () => import("@/pages/desk/Desk");
const loadDeskRuns = () => import("@/pages/conduct/Runs");
const loadRunPage = () => import("@/pages/conduct/RunPage");
const loadReplayPage = () => import("@/pages/conduct/ReplayPage");
const loadSettlement = () => import("@/pages/conduct/Settlement");
const loadSettling = () => import("@/pages/conduct/Settling");
const loadRescorings = () => import("@/pages/conduct/Rescorings");
const loadConclusions = () => import("@/pages/judges/Conclusions");
const loadConclusionPage = () => import("@/pages/judges/ConclusionPage");
const loadSubmissions = () => import("@/pages/judges/Submissions");
const loadProtocols = () => import("@/pages/judges/Protocols");
const loadTeams = () => import("@/pages/office/Teams");
const loadStaff = () => import("@/pages/office/Staff");
const loadDeskSets = () => import("@/pages/office/Sets");
const loadNewCycle = () => import("@/pages/office/NewCycle");
const loadParameters = () => import("@/pages/office/Parameters");
const loadAnnouncing = () => import("@/pages/office/Announcing");
const loadDeskQuestions = () => import("@/pages/office/Questions");
const loadHooks = () => import("@/pages/office/Hooks");
const loadAudit = () => import("@/pages/office/Audit");
const loadOperations = () => import("@/pages/office/Operations");
const loadMarkings = () => import("@/pages/coordination/Markings");
const loadPeople = () => import("@/pages/coordination/People");
const loadMarkingPage = () => import("@/pages/coordination/MarkingPage");
const loadAgreementPage = () => import("@/pages/coordination/AgreementPage");

const site = { getParentRoute: () => rootRoute } as const;
const ofCabinet = { ...site, beforeLoad: words("cabinet") } as const;
const ofAnnotator = { ...site, beforeLoad: words("annotator") } as const;
const ofComparison = { ...site, beforeLoad: words("comparison") } as const;
const ofSubmissions = { ...site, beforeLoad: words("submissions", "cabinet") } as const;

/**
 * The pages that everybody may see.
 *
 * Clause: platform §8 public
 */
export const publicRoutes = [
  createRoute({ ...site, path: "/", component: lazy(loadHome, "Home") }),
  createRoute({
    ...site,
    path: "/boards",
    validateSearch: (search): { board?: string; key?: string; by?: string; run?: string; open?: string } => ({
      ...(search.board === "final" ? { board: "final" } : {}),
      ...texts(search, ["key", "by", "run", "open"]),
    }),
    component: lazy(loadBoards, "Boards"),
  }),
  createRoute({ ...site, path: "/runs", component: lazy(loadRuns, "Runs") }),
  createRoute({ ...site, path: "/runs/$runId", component: lazy(loadRun, "Run") }),
  createRoute({ ...site, path: "/announcements", component: lazy(loadHome, "Announcements") }),
  createRoute({ ...site, path: "/take-part", component: lazy(loadTakePart, "TakePart") }),
  createRoute({ ...site, path: "/kit", component: lazy(loadTakePart, "Kit") }),
  createRoute({ ...site, path: "/application", component: lazy(loadApplication, "Application") }),
  createRoute({ ...site, path: "/rules", component: lazy(loadRules, "Rules") }),
  createRoute({ ...site, path: "/knowledge", component: lazy(loadDocuments, "Knowledge") }),
  createRoute({
    ...site,
    path: "/knowledge/$name",
    validateSearch: (search): { version?: string } => {
      // A version is written in an address as a number.
      const { version } = search;
      return typeof version === "string" || typeof version === "number" ? { version: String(version) } : {};
    },
    component: lazy(loadDocuments, "Document"),
  }),
  createRoute({ ...site, path: "/cycles", component: lazy(loadCycles, "Cycles") }),
  createRoute({
    ...site,
    path: "/signin",
    validateSearch: ({ to }): { to?: string } => (typeof to === "string" && to !== "" ? { to } : {}),
    component: lazy(loadSignIn, "SignIn"),
  }),
  createRoute({ ...site, path: "/signin/callback", component: lazy(loadSignIn, "Callback") }),
  createRoute({ ...site, path: "/signin/done/$name", component: lazy(loadSignIn, "SignedIn") }),
] as const;

/**
 * A team's own pages, and what it submits as a whole.
 *
 * Clause: platform §8 cabinet, TS T13
 */
export const cabinetRoutes = [
  createRoute({ ...ofCabinet, path: "/cabinet", component: lazy(loadSessions, "Overview") }),
  createRoute({ ...ofCabinet, path: "/cabinet/sessions", component: lazy(loadSessions, "Sessions") }),
  createRoute({ ...ofCabinet, path: "/cabinet/sessions/$sessionId", component: lazy(loadSession, "Session") }),
  createRoute({ ...ofCabinet, path: "/cabinet/sessions/$sessionId/report", component: lazy(loadReport, "Report") }),
  createRoute({
    ...ofCabinet,
    path: "/cabinet/sessions/$sessionId/files",
    validateSearch: readFilesSearch,
    component: lazy(loadFiles, "Files"),
  }),
  createRoute({
    ...ofCabinet,
    path: "/cabinet/sessions/$sessionId/receipts",
    component: lazy(loadReceipts, "Receipts"),
  }),
  createRoute({
    ...ofCabinet,
    path: "/cabinet/questions",
    validateSearch: search("session", "number", "run"),
    component: lazy(loadQuestions, "Questions"),
  }),
  createRoute({ ...ofCabinet, path: "/cabinet/mails", component: lazy(loadMails, "Mails") }),
  createRoute({ ...ofCabinet, path: "/cabinet/tokens", component: lazy(loadTeam, "Tokens") }),
  createRoute({ ...ofCabinet, path: "/cabinet/team", component: lazy(loadTeam, "Team") }),
  createRoute({ ...ofCabinet, path: "/cabinet/sets", component: lazy(loadSets, "Sets") }),
  createRoute({ ...ofCabinet, path: "/sets/$name", component: lazy(loadSets, "SetTables") }),
  createRoute({ ...ofSubmissions, path: "/cabinet/submissions", component: lazy(loadOwn, "Own") }),
  createRoute({ ...ofSubmissions, path: "/cabinet/submissions/$submissionId", component: lazy(loadOwn, "OwnCourse") }),
  createRoute({
    ...ofSubmissions,
    path: "/cabinet/submissions/$submissionId/report",
    component: lazy(loadOwn, "OwnReport"),
  }),
  createRoute({ ...ofSubmissions, path: "/cabinet/submissions/$submissionId/log", component: lazy(loadOwn, "OwnLog") }),
  createRoute({
    ...ofSubmissions,
    path: "/cabinet/submissions/$submissionId/receipt",
    component: lazy(loadOwn, "OwnReceipt"),
  }),
  createRoute({ ...ofSubmissions, path: "/cabinet/private-test", component: lazy(loadPrivateTest, "PrivateResults") }),
] as const;

const annotatorRoutes = [
  createRoute({ ...ofAnnotator, path: "/assignments", component: lazy(loadAssignmentsPage, "AssignmentsPage") }),
  createRoute({
    ...ofAnnotator,
    path: "/assignments/$assignmentId",
    component: lazy(loadAssignmentPage, "AssignmentPage"),
  }),
  createRoute({ ...ofAnnotator, path: "/round", component: lazy(loadRoundPage, "RoundPage") }),
] as const;

const WHICH = /^(answer|\d{1,3})$/;
const KINDS = /^[a-z]+(-[xy])?(,[a-z]+(-[xy])?){0,6}$/;

/** Return a text or number of an address if it matches the pattern; otherwise undefined. */
function matching<Name extends string>(name: Name, value: unknown, form: RegExp): { [key in Name]?: string } {
  const text = typeof value === "number" ? String(value) : value;
  return (typeof text === "string" && form.test(text) ? { [name]: text } : {}) as { [key in Name]?: string };
}

const comparisonRoutes = [
  createRoute({
    ...ofComparison,
    path: "/sessions/$sessionId/files/$number/comparison",
    validateSearch: (search: Record<string, unknown>): Search => ({
      ...matching("x", search.x, WHICH),
      ...matching("y", search.y, WHICH),
      ...matching("f", search.f, /^[XY]\d{1,4}$/),
      ...matching("m", search.m, /^M[1-7]$/),
      ...(search.view === "beside" || search.view === "overlaid" ? { view: search.view } : {}),
      ...(search.c === "families" ? { c: search.c } : {}),
      ...matching("z", search.z, WHICH),
      ...matching("k", search.k, KINDS),
    }),
    component: lazy(loadComparisonPage, "ComparisonPage"),
  }),
  createRoute({
    ...ofComparison,
    path: "/sessions/$sessionId/files/$number/answer",
    component: lazy(loadOwnAnswer, "OwnAnswer"),
  }),
] as const;

/** Route of the desk, the frame of the sections that are its children. */
const deskRoute = createRoute({ ...site, path: "/desk", beforeLoad: words("desk"), component: lazy(loadDesk, "Desk") });

const desk = { getParentRoute: () => deskRoute } as const;
// The desk shows deliveries, reports and tokens as the cabinet does, with the cabinet's texts.
const ofConduct = { ...desk, beforeLoad: words("conduct", "cabinet") } as const;
const ofJudges = { ...desk, beforeLoad: words("judges", "cabinet") } as const;
const ofOffice = { ...desk, beforeLoad: words("office", "cabinet") } as const;
const ofCoordination = { ...desk, beforeLoad: words("coordination") } as const;
const ofSubmitted = { ...desk, beforeLoad: words("submissions", "cabinet") } as const;

/** Search parameters of a run's page: the selected delivery, and the order of teams. */
interface RunSearch {
  team?: string;
  file?: number;
  order?: "worst" | undefined;
}

const deskRoutes = [
  createRoute({ ...desk, path: "/", component: lazy(loadDesk, "DeskHome") }),
  createRoute({ ...ofConduct, path: "runs", component: lazy(loadDeskRuns, "Runs") }),
  createRoute({ ...ofConduct, path: "plan", component: lazy(loadDeskRuns, "PlanRun") }),
  createRoute({
    ...ofConduct,
    path: "runs/$runId",
    validateSearch: (search: Record<string, unknown>): RunSearch => ({
      ...(typeof search.team === "string" ? { team: search.team } : {}),
      ...(Number.isInteger(search.file) && Number(search.file) > 0 ? { file: Number(search.file) } : {}),
      ...(search.order === "worst" ? { order: "worst" as const } : {}),
    }),
    component: lazy(loadRunPage, "RunPage"),
  }),
  createRoute({ ...ofConduct, path: "runs/$runId/replay", component: lazy(loadReplayPage, "ReplayPage") }),
  createRoute({ ...ofConduct, path: "settlement", component: lazy(loadSettlement, "Settlement") }),
  createRoute({ ...ofConduct, path: "settlement/$runId", component: lazy(loadSettling, "Settling") }),
  createRoute({
    ...ofConduct,
    path: "settlement/$board/reveal",
    validateSearch: (search: Record<string, unknown>): { key?: string } =>
      typeof search.key === "string" ? { key: search.key } : {},
    component: lazy(loadSettlement, "Reveal"),
  }),
  createRoute({ ...ofConduct, path: "settlement/rescorings", component: lazy(loadRescorings, "Rescorings") }),
  createRoute({
    ...ofConduct,
    path: "settlement/rescorings/$rescoringId",
    component: lazy(loadRescorings, "RescoringPage"),
  }),
  createRoute({ ...ofConduct, path: "settlement/annulments", component: lazy(loadRescorings, "Annulments") }),
  createRoute({
    ...ofJudges,
    path: "conclusions",
    validateSearch: search("standing"),
    component: lazy(loadConclusions, "Conclusions"),
  }),
  createRoute({ ...ofJudges, path: "teams/$teamId/sessions", component: lazy(loadConclusionPage, "TeamSessions") }),
  createRoute({ ...ofJudges, path: "sessions/$sessionId", component: lazy(loadConclusionPage, "ConclusionPage") }),
  createRoute({ ...ofJudges, path: "sessions/$sessionId/course", component: lazy(loadConclusionPage, "CoursePage") }),
  createRoute({ ...ofJudges, path: "sessions/$sessionId/report", component: lazy(loadConclusionPage, "ReportPage") }),
  createRoute({
    ...ofJudges,
    path: "sessions/$sessionId/files",
    validateSearch: readFilesSearch,
    component: lazy(loadConclusionPage, "FilesPage"),
  }),
  createRoute({
    ...ofJudges,
    path: "submissions",
    validateSearch: search("run", "team", "cause", "state"),
    component: lazy(loadSubmissions, "Submissions"),
  }),
  createRoute({
    ...ofJudges,
    path: "protocols",
    validateSearch: search("run"),
    component: lazy(loadProtocols, "Protocols"),
  }),
  createRoute({ ...ofOffice, path: "teams", validateSearch: search("status"), component: lazy(loadTeams, "Teams") }),
  createRoute({ ...ofOffice, path: "teams/$teamId", component: lazy(loadTeams, "TeamPage") }),
  createRoute({ ...ofOffice, path: "staff", component: lazy(loadStaff, "Staff") }),
  createRoute({ ...ofOffice, path: "sets", component: lazy(loadDeskSets, "Sets") }),
  createRoute({ ...ofOffice, path: "cycle", component: lazy(loadNewCycle, "NewCycle") }),
  createRoute({ ...ofOffice, path: "imports/$importId", component: lazy(loadDeskSets, "ImportPage") }),
  createRoute({
    ...ofOffice,
    path: "parameters",
    validateSearch: search("version"),
    component: lazy(loadParameters, "Parameters"),
  }),
  createRoute({ ...ofOffice, path: "announcing", component: lazy(loadAnnouncing, "Announcing") }),
  createRoute({
    ...ofOffice,
    path: "questions",
    validateSearch: search("state", "kind"),
    component: lazy(loadDeskQuestions, "Questions"),
  }),
  createRoute({ ...ofOffice, path: "hooks", component: lazy(loadHooks, "OfficeHooks") }),
  createRoute({ ...ofOffice, path: "check", validateSearch: search("run"), component: lazy(loadAudit, "Check") }),
  createRoute({ ...ofOffice, path: "audit", validateSearch: readAudit, component: lazy(loadAudit, "Audit") }),
  createRoute({
    ...ofOffice,
    path: "operations",
    validateSearch: search("queue"),
    component: lazy(loadOperations, "Operations"),
  }),
  createRoute({ ...ofOffice, path: "cost", validateSearch: readCost, component: lazy(loadOperations, "Cost") }),
  createRoute({ ...ofCoordination, path: "experts", component: lazy(loadMarkings, "Markings") }),
  createRoute({ ...ofCoordination, path: "experts/people", component: lazy(loadPeople, "People") }),
  createRoute({
    ...ofCoordination,
    path: "experts/markings/$markingId",
    validateSearch: search("show", "subject"),
    component: lazy(loadMarkingPage, "MarkingPage"),
  }),
  createRoute({
    ...ofCoordination,
    path: "experts/markings/$markingId/agreement",
    component: lazy(loadAgreementPage, "AgreementPage"),
  }),
  createRoute({
    ...ofSubmitted,
    path: "submitted",
    validateSearch: search("state", "team"),
    component: lazy(loadSubmitted, "Submitted"),
  }),
  createRoute({ ...ofSubmitted, path: "submitted/private", component: lazy(loadPrivateTest, "PrivateTest") }),
  createRoute({ ...ofSubmitted, path: "submitted/$submissionId", component: lazy(loadSubmitted, "CoursePage") }),
  createRoute({ ...ofSubmitted, path: "submitted/$submissionId/report", component: lazy(loadSubmitted, "ReportPage") }),
  createRoute({ ...ofSubmitted, path: "submitted/$submissionId/log", component: lazy(loadSubmitted, "LogPage") }),
] as const;

const routeTree = rootRoute.addChildren([
  ...publicRoutes,
  ...cabinetRoutes,
  ...annotatorRoutes,
  ...comparisonRoutes,
  deskRoute.addChildren(deskRoutes),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  // Skeletons have a delay of their own.
  defaultPendingMs: 0,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => <Skeleton lines={8} />,
  defaultErrorComponent: RouteFailure,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

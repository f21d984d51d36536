import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { readFilesSearch } from "@/pages/cabinet/filesView";
import { deskRoute } from "@/pages/desk/routes";
import { texts } from "@/ui/keys";
import { readQueue, readSubmissions } from "./searches";

const loadConclusionPage = () => import("./ConclusionPage");

/** A session's report, files and course are shown here as in the cabinet, in its words. */
const room = {
  getParentRoute: () => deskRoute,
  beforeLoad: async () => void (await Promise.all([loadRoom("judges"), loadRoom("cabinet")])),
} as const;

export const judgesRoutes = [
  createRoute({
    ...room,
    path: "conclusions",
    validateSearch: readQueue,
    component: lazy(() => import("./Conclusions"), "Conclusions"),
  }),
  createRoute({ ...room, path: "teams/$teamId/sessions", component: lazy(loadConclusionPage, "TeamSessions") }),
  createRoute({ ...room, path: "sessions/$sessionId", component: lazy(loadConclusionPage, "ConclusionPage") }),
  createRoute({ ...room, path: "sessions/$sessionId/course", component: lazy(loadConclusionPage, "CoursePage") }),
  createRoute({ ...room, path: "sessions/$sessionId/report", component: lazy(loadConclusionPage, "ReportPage") }),
  createRoute({
    ...room,
    path: "sessions/$sessionId/files",
    validateSearch: readFilesSearch,
    component: lazy(loadConclusionPage, "FilesPage"),
  }),
  createRoute({
    ...room,
    path: "submissions",
    validateSearch: readSubmissions,
    component: lazy(() => import("./Submissions"), "Submissions"),
  }),
  createRoute({
    ...room,
    path: "protocols",
    validateSearch: (said: Record<string, unknown>): { run?: string } => texts(said, ["run"]),
    component: lazy(() => import("./Protocols"), "Protocols"),
  }),
] as const;

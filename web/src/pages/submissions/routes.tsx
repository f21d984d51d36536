import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";
import { rootRoute } from "@/shell/Shell";
import { readSubmitted } from "./searches";

const loadOwn = () => import("./Own");
const loadPrivateTest = () => import("./PrivateTest");
const loadSubmitted = () => import("./Submitted");

/** Pages of the cabinet, inside its tabs. */
const own = {
  getParentRoute: () => rootRoute,
  beforeLoad: async () => void (await Promise.all([loadRoom("submissions"), loadRoom("cabinet")])),
} as const;

const all = {
  getParentRoute: () => deskRoute,
  beforeLoad: async () => void (await Promise.all([loadRoom("submissions"), loadRoom("cabinet")])),
} as const;

/**
 * What a team submits as a whole.
 *
 * Clause: TS T13, platform §8 cabinet
 */
export const ownSubmissionRoutes = [
  createRoute({ ...own, path: "/cabinet/submissions", component: lazy(loadOwn, "Own") }),
  createRoute({ ...own, path: "/cabinet/submissions/$submissionId", component: lazy(loadOwn, "OwnCourse") }),
  createRoute({ ...own, path: "/cabinet/submissions/$submissionId/report", component: lazy(loadOwn, "OwnReport") }),
  createRoute({ ...own, path: "/cabinet/submissions/$submissionId/log", component: lazy(loadOwn, "OwnLog") }),
  createRoute({ ...own, path: "/cabinet/submissions/$submissionId/receipt", component: lazy(loadOwn, "OwnReceipt") }),
  createRoute({ ...own, path: "/cabinet/private-test", component: lazy(loadPrivateTest, "PrivateResults") }),
] as const;

/** The desk's pages of all teams' submissions. */
export const submittedRoutes = [
  createRoute({
    ...all,
    path: "submitted",
    validateSearch: readSubmitted,
    component: lazy(loadSubmitted, "Submitted"),
  }),
  createRoute({ ...all, path: "submitted/private", component: lazy(loadPrivateTest, "PrivateTest") }),
  createRoute({ ...all, path: "submitted/$submissionId", component: lazy(loadSubmitted, "CoursePage") }),
  createRoute({ ...all, path: "submitted/$submissionId/report", component: lazy(loadSubmitted, "ReportPage") }),
  createRoute({ ...all, path: "submitted/$submissionId/log", component: lazy(loadSubmitted, "LogPage") }),
] as const;

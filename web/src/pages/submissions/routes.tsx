import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";
import { rootRoute } from "@/shell/Shell";
import { readSubmitted } from "./searches";

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
  createRoute({ ...own, path: "/cabinet/submissions", component: lazy(() => import("./Own"), "Own") }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId",
    component: lazy(() => import("./Own"), "OwnCourse"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId/report",
    component: lazy(() => import("./Own"), "OwnReport"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId/log",
    component: lazy(() => import("./Own"), "OwnLog"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId/receipt",
    component: lazy(() => import("./Own"), "OwnReceipt"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/private-test",
    component: lazy(() => import("./PrivateTest"), "PrivateResults"),
  }),
] as const;

/** The desk's pages of all teams' submissions. */
export const submittedRoutes = [
  createRoute({
    ...all,
    path: "submitted",
    validateSearch: readSubmitted,
    component: lazy(() => import("./Submitted"), "Submitted"),
  }),
  createRoute({ ...all, path: "submitted/private", component: lazy(() => import("./PrivateTest"), "PrivateTest") }),
  createRoute({ ...all, path: "submitted/$submissionId", component: lazy(() => import("./Submitted"), "CoursePage") }),
  createRoute({
    ...all,
    path: "submitted/$submissionId/report",
    component: lazy(() => import("./Submitted"), "ReportPage"),
  }),
  createRoute({ ...all, path: "submitted/$submissionId/log", component: lazy(() => import("./Submitted"), "LogPage") }),
] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
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
  createRoute({ ...own, path: "/cabinet/submissions", component: lazyRouteComponent(() => import("./Own"), "Own") }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId",
    component: lazyRouteComponent(() => import("./Own"), "OwnCourse"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId/report",
    component: lazyRouteComponent(() => import("./Own"), "OwnReport"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId/log",
    component: lazyRouteComponent(() => import("./Own"), "OwnLog"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/submissions/$submissionId/receipt",
    component: lazyRouteComponent(() => import("./Own"), "OwnReceipt"),
  }),
  createRoute({
    ...own,
    path: "/cabinet/private-test",
    component: lazyRouteComponent(() => import("./PrivateTest"), "PrivateResults"),
  }),
] as const;

/** The desk's pages of all teams' submissions. */
export const submittedRoutes = [
  createRoute({
    ...all,
    path: "submitted",
    validateSearch: readSubmitted,
    component: lazyRouteComponent(() => import("./Submitted"), "Submitted"),
  }),
  createRoute({
    ...all,
    path: "submitted/private",
    component: lazyRouteComponent(() => import("./PrivateTest"), "PrivateTest"),
  }),
  createRoute({
    ...all,
    path: "submitted/$submissionId",
    component: lazyRouteComponent(() => import("./Submitted"), "CoursePage"),
  }),
  createRoute({
    ...all,
    path: "submitted/$submissionId/report",
    component: lazyRouteComponent(() => import("./Submitted"), "ReportPage"),
  }),
  createRoute({
    ...all,
    path: "submitted/$submissionId/log",
    component: lazyRouteComponent(() => import("./Submitted"), "LogPage"),
  }),
] as const;

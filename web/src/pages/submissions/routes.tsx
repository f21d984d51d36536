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

const submissions = createRoute({
  ...own,
  path: "/cabinet/submissions",
  component: lazyRouteComponent(() => import("./Own"), "Own"),
});

const course = createRoute({
  ...own,
  path: "/cabinet/submissions/$submissionId",
  component: lazyRouteComponent(() => import("./Own"), "OwnCourse"),
});

const report = createRoute({
  ...own,
  path: "/cabinet/submissions/$submissionId/report",
  component: lazyRouteComponent(() => import("./Own"), "OwnReport"),
});

const log = createRoute({
  ...own,
  path: "/cabinet/submissions/$submissionId/log",
  component: lazyRouteComponent(() => import("./Own"), "OwnLog"),
});

const receipt = createRoute({
  ...own,
  path: "/cabinet/submissions/$submissionId/receipt",
  component: lazyRouteComponent(() => import("./Own"), "OwnReceipt"),
});

const results = createRoute({
  ...own,
  path: "/cabinet/private-test",
  component: lazyRouteComponent(() => import("./PrivateTest"), "PrivateResults"),
});

/**
 * What a team submits as a whole.
 *
 * Clause: TS T13, platform §8 cabinet
 */
export const ownSubmissionRoutes = [submissions, course, report, log, receipt, results] as const;

const submitted = createRoute({
  ...all,
  path: "submitted",
  validateSearch: readSubmitted,
  component: lazyRouteComponent(() => import("./Submitted"), "Submitted"),
});

const privateTest = createRoute({
  ...all,
  path: "submitted/private",
  component: lazyRouteComponent(() => import("./PrivateTest"), "PrivateTest"),
});

const one = createRoute({
  ...all,
  path: "submitted/$submissionId",
  component: lazyRouteComponent(() => import("./Submitted"), "CoursePage"),
});

const oneReport = createRoute({
  ...all,
  path: "submitted/$submissionId/report",
  component: lazyRouteComponent(() => import("./Submitted"), "ReportPage"),
});

const oneLog = createRoute({
  ...all,
  path: "submitted/$submissionId/log",
  component: lazyRouteComponent(() => import("./Submitted"), "LogPage"),
});

/** The desk's pages of all teams' submissions. */
export const submittedRoutes = [submitted, privateTest, one, oneReport, oneLog] as const;

import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { rootRoute } from "@/shell/Shell";

const beforeLoad = () => loadRoom("annotator");

const assignmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/assignments",
  beforeLoad,
  component: lazy(() => import("./AssignmentsPage"), "AssignmentsPage"),
});

const assignmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/assignments/$assignmentId",
  beforeLoad,
  component: lazy(() => import("./AssignmentPage"), "AssignmentPage"),
});

const roundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/round",
  beforeLoad,
  component: lazy(() => import("./RoundPage"), "RoundPage"),
});

export const annotatorRoutes = [assignmentsRoute, assignmentRoute, roundRoute] as const;

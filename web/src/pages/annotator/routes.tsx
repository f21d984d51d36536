import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { rootRoute } from "@/shell/Shell";

const beforeLoad = () => loadRoom("annotator");

const assignmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/assignments",
  beforeLoad,
  component: lazyRouteComponent(() => import("./AssignmentsPage"), "AssignmentsPage"),
});

const assignmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/assignments/$assignmentId",
  beforeLoad,
  component: lazyRouteComponent(() => import("./AssignmentPage"), "AssignmentPage"),
});

const roundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/round",
  beforeLoad,
  component: lazyRouteComponent(() => import("./RoundPage"), "RoundPage"),
});

export const annotatorRoutes = [assignmentsRoute, assignmentRoute, roundRoute] as const;

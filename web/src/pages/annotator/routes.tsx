import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { rootRoute } from "@/shell/root";

const loader = () => loadRoom("annotator");

export const assignmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/assignments",
  loader,
  component: lazyRouteComponent(() => import("./AssignmentsPage"), "AssignmentsPage"),
});

export const assignmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/assignments/$assignmentId",
  loader,
  component: lazyRouteComponent(() => import("./AssignmentPage"), "AssignmentPage"),
});

export const annotatorRoutes = [assignmentsRoute, assignmentRoute] as const;

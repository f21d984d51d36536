import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";
import { texts } from "@/ui/keys";
import { readAudit, readCost } from "./data";

/** Tokens are shown here as in the cabinet, in its words. */
const room = {
  getParentRoute: () => deskRoute,
  beforeLoad: async () => void (await Promise.all([loadRoom("office"), loadRoom("cabinet")])),
} as const;

export const officeRoutes = [
  createRoute({
    ...room,
    path: "teams",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["status"]),
    component: lazy(() => import("./Teams"), "Teams"),
  }),
  createRoute({ ...room, path: "teams/$teamId", component: lazy(() => import("./Teams"), "TeamPage") }),
  createRoute({ ...room, path: "staff", component: lazy(() => import("./Staff"), "Staff") }),
  createRoute({ ...room, path: "sets", component: lazy(() => import("./Sets"), "Sets") }),
  createRoute({ ...room, path: "cycle", component: lazy(() => import("./NewCycle"), "NewCycle") }),
  createRoute({ ...room, path: "imports/$importId", component: lazy(() => import("./Sets"), "ImportPage") }),
  createRoute({
    ...room,
    path: "parameters",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["version"]),
    component: lazy(() => import("./Parameters"), "Parameters"),
  }),
  createRoute({ ...room, path: "announcing", component: lazy(() => import("./Announcing"), "Announcing") }),
  createRoute({
    ...room,
    path: "questions",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["state", "kind"]),
    component: lazy(() => import("./Questions"), "Questions"),
  }),
  createRoute({ ...room, path: "hooks", component: lazy(() => import("./Hooks"), "OfficeHooks") }),
  createRoute({
    ...room,
    path: "check",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["run"]),
    component: lazy(() => import("./Audit"), "Check"),
  }),
  createRoute({ ...room, path: "audit", validateSearch: readAudit, component: lazy(() => import("./Audit"), "Audit") }),
  createRoute({
    ...room,
    path: "operations",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["queue"]),
    component: lazy(() => import("./Operations"), "Operations"),
  }),
  createRoute({
    ...room,
    path: "cost",
    validateSearch: readCost,
    component: lazy(() => import("./Operations"), "Cost"),
  }),
] as const;

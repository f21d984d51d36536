import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
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
    component: lazyRouteComponent(() => import("./Teams"), "Teams"),
  }),
  createRoute({
    ...room,
    path: "teams/$teamId",
    component: lazyRouteComponent(() => import("./Teams"), "TeamPage"),
  }),
  createRoute({ ...room, path: "staff", component: lazyRouteComponent(() => import("./Staff"), "Staff") }),
  createRoute({ ...room, path: "sets", component: lazyRouteComponent(() => import("./Sets"), "Sets") }),
  createRoute({ ...room, path: "cycle", component: lazyRouteComponent(() => import("./NewCycle"), "NewCycle") }),
  createRoute({
    ...room,
    path: "imports/$importId",
    component: lazyRouteComponent(() => import("./Sets"), "ImportPage"),
  }),
  createRoute({
    ...room,
    path: "parameters",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["version"]),
    component: lazyRouteComponent(() => import("./Parameters"), "Parameters"),
  }),
  createRoute({
    ...room,
    path: "announcing",
    component: lazyRouteComponent(() => import("./Announcing"), "Announcing"),
  }),
  createRoute({
    ...room,
    path: "questions",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["state", "kind"]),
    component: lazyRouteComponent(() => import("./Questions"), "Questions"),
  }),
  createRoute({ ...room, path: "hooks", component: lazyRouteComponent(() => import("./Hooks"), "OfficeHooks") }),
  createRoute({
    ...room,
    path: "check",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["run"]),
    component: lazyRouteComponent(() => import("./Audit"), "Check"),
  }),
  createRoute({
    ...room,
    path: "audit",
    validateSearch: readAudit,
    component: lazyRouteComponent(() => import("./Audit"), "Audit"),
  }),
  createRoute({
    ...room,
    path: "operations",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["queue"]),
    component: lazyRouteComponent(() => import("./Operations"), "Operations"),
  }),
  createRoute({
    ...room,
    path: "cost",
    validateSearch: readCost,
    component: lazyRouteComponent(() => import("./Operations"), "Cost"),
  }),
] as const;

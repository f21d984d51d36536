import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";
import { texts } from "@/ui/search";

/** Tokens are shown here as in the cabinet, in its words. */
const room = {
  getParentRoute: () => deskRoute,
  beforeLoad: async () => void (await Promise.all([loadRoom("office"), loadRoom("cabinet")])),
} as const;

const teams = createRoute({
  ...room,
  path: "teams",
  validateSearch: (said: Record<string, unknown>) => texts(said, ["status"]),
  component: lazyRouteComponent(() => import("./Teams"), "Teams"),
});

const team = createRoute({
  ...room,
  path: "teams/$teamId",
  component: lazyRouteComponent(() => import("./TeamPage"), "TeamPage"),
});

const staff = createRoute({
  ...room,
  path: "staff",
  component: lazyRouteComponent(() => import("./Staff"), "Staff"),
});

const sets = createRoute({
  ...room,
  path: "sets",
  component: lazyRouteComponent(() => import("./Sets"), "Sets"),
});

const imported = createRoute({
  ...room,
  path: "imports/$importId",
  component: lazyRouteComponent(() => import("./ImportPage"), "ImportPage"),
});

export const officeRoutes = [teams, team, staff, sets, imported] as const;

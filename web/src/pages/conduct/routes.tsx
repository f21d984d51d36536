import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";

const room = { getParentRoute: () => deskRoute, beforeLoad: () => loadRoom("conduct") } as const;

const runs = createRoute({
  ...room,
  path: "runs",
  component: lazyRouteComponent(() => import("./Runs"), "Runs"),
});

const settlement = createRoute({
  ...room,
  path: "settlement",
  component: lazyRouteComponent(() => import("./Settlement"), "Settlement"),
});

export const conductRoutes = [runs, settlement] as const;

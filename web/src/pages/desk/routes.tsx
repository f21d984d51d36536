import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { rootRoute } from "@/shell/Shell";

/** What stands around every room of the desk; rooms are its children. */
export const deskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/desk",
  beforeLoad: () => loadRoom("desk"),
  component: lazy(() => import("./Desk"), "Desk"),
});

export const deskHomeRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: "/",
  component: lazy(() => import("./Desk"), "DeskHome"),
});

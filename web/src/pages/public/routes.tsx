import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { rootRoute } from "@/shell/Shell";
import { texts } from "@/ui/keys";

const getParentRoute = () => rootRoute;

/**
 * The pages that everybody may see.
 *
 * Clause: platform §8 public
 */
export const publicRoutes = [
  createRoute({ getParentRoute, path: "/", component: lazy(() => import("./Home"), "Home") }),
  createRoute({
    getParentRoute,
    path: "/boards",
    validateSearch: (search): { board?: string; key?: string; by?: string; run?: string; open?: string } => ({
      ...(search.board === "final" ? { board: "final" } : {}),
      ...texts(search, ["key", "by", "run", "open"]),
    }),
    component: lazy(() => import("./Boards"), "Boards"),
  }),
  createRoute({ getParentRoute, path: "/runs", component: lazy(() => import("./Runs"), "Runs") }),
  createRoute({ getParentRoute, path: "/runs/$runId", component: lazy(() => import("./Run"), "Run") }),
  createRoute({ getParentRoute, path: "/announcements", component: lazy(() => import("./Home"), "Announcements") }),
  createRoute({ getParentRoute, path: "/take-part", component: lazy(() => import("./TakePart"), "TakePart") }),
  createRoute({ getParentRoute, path: "/kit", component: lazy(() => import("./TakePart"), "Kit") }),
  createRoute({ getParentRoute, path: "/application", component: lazy(() => import("./Application"), "Application") }),
  createRoute({ getParentRoute, path: "/rules", component: lazy(() => import("./Rules"), "Rules") }),
  createRoute({ getParentRoute, path: "/knowledge", component: lazy(() => import("./Documents"), "Knowledge") }),
  createRoute({
    getParentRoute,
    path: "/knowledge/$name",
    validateSearch: (search): { version?: string } => {
      // A version in an address is written as a number.
      const { version } = search;
      return typeof version === "string" || typeof version === "number" ? { version: String(version) } : {};
    },
    component: lazy(() => import("./Documents"), "Document"),
  }),
  createRoute({ getParentRoute, path: "/cycles", component: lazy(() => import("./Cycles"), "Cycles") }),
  createRoute({
    getParentRoute,
    path: "/signin",
    validateSearch: ({ to }): { to?: string } => (typeof to === "string" && to !== "" ? { to } : {}),
    component: lazy(() => import("./SignIn"), "SignIn"),
  }),
  createRoute({ getParentRoute, path: "/signin/callback", component: lazy(() => import("./SignIn"), "Callback") }),
  createRoute({ getParentRoute, path: "/signin/done/$name", component: lazy(() => import("./SignIn"), "SignedIn") }),
] as const;

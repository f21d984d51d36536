import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/shell/Shell";
import { texts } from "@/ui/keys";

const getParentRoute = () => rootRoute;

/**
 * The pages that everybody may see.
 *
 * Clause: platform §8 public
 */
export const publicRoutes = [
  createRoute({ getParentRoute, path: "/", component: lazyRouteComponent(() => import("./Home"), "Home") }),
  createRoute({
    getParentRoute,
    path: "/boards",
    validateSearch: (search): { board?: string; key?: string; by?: string; run?: string; open?: string } => ({
      ...(search.board === "final" ? { board: "final" } : {}),
      ...texts(search, ["key", "by", "run", "open"]),
    }),
    component: lazyRouteComponent(() => import("./Boards"), "Boards"),
  }),
  createRoute({ getParentRoute, path: "/runs", component: lazyRouteComponent(() => import("./Runs"), "Runs") }),
  createRoute({ getParentRoute, path: "/runs/$runId", component: lazyRouteComponent(() => import("./Run"), "Run") }),
  createRoute({
    getParentRoute,
    path: "/announcements",
    component: lazyRouteComponent(() => import("./Home"), "Announcements"),
  }),
  createRoute({
    getParentRoute,
    path: "/take-part",
    component: lazyRouteComponent(() => import("./TakePart"), "TakePart"),
  }),
  createRoute({ getParentRoute, path: "/kit", component: lazyRouteComponent(() => import("./TakePart"), "Kit") }),
  createRoute({
    getParentRoute,
    path: "/application",
    component: lazyRouteComponent(() => import("./Application"), "Application"),
  }),
  createRoute({ getParentRoute, path: "/rules", component: lazyRouteComponent(() => import("./Rules"), "Rules") }),
  createRoute({
    getParentRoute,
    path: "/knowledge",
    component: lazyRouteComponent(() => import("./Documents"), "Knowledge"),
  }),
  createRoute({
    getParentRoute,
    path: "/knowledge/$name",
    validateSearch: (search): { version?: string } => {
      // A version in an address is written as a number.
      const { version } = search;
      return typeof version === "string" || typeof version === "number" ? { version: String(version) } : {};
    },
    component: lazyRouteComponent(() => import("./Documents"), "Document"),
  }),
  createRoute({ getParentRoute, path: "/cycles", component: lazyRouteComponent(() => import("./Cycles"), "Cycles") }),
  createRoute({
    getParentRoute,
    path: "/signin",
    validateSearch: ({ to }): { to?: string } => (typeof to === "string" && to !== "" ? { to } : {}),
    component: lazyRouteComponent(() => import("./SignIn"), "SignIn"),
  }),
  createRoute({
    getParentRoute,
    path: "/signin/callback",
    component: lazyRouteComponent(() => import("./SignIn"), "Callback"),
  }),
  createRoute({
    getParentRoute,
    path: "/signin/done/$name",
    component: lazyRouteComponent(() => import("./SignIn"), "SignedIn"),
  }),
] as const;

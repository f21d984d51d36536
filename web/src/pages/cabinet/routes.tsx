import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { rootRoute } from "@/shell/Shell";
import { texts } from "@/ui/keys";
import { readFilesSearch } from "./filesView";

/** Everything here has sentences of its own, which come with the first of its pages. */
const room = { getParentRoute: () => rootRoute, beforeLoad: () => loadRoom("cabinet") } as const;

/**
 * A team's own pages.
 *
 * Clause: platform §8 cabinet
 */
export const cabinetRoutes = [
  createRoute({ ...room, path: "/cabinet", component: lazy(() => import("./Sessions"), "Overview") }),
  createRoute({ ...room, path: "/cabinet/sessions", component: lazy(() => import("./Sessions"), "Sessions") }),
  createRoute({ ...room, path: "/cabinet/sessions/$sessionId", component: lazy(() => import("./Session"), "Session") }),
  createRoute({
    ...room,
    path: "/cabinet/sessions/$sessionId/report",
    component: lazy(() => import("./Report"), "Report"),
  }),
  createRoute({
    ...room,
    path: "/cabinet/sessions/$sessionId/files",
    validateSearch: readFilesSearch,
    component: lazy(() => import("./Files"), "Files"),
  }),
  createRoute({
    ...room,
    path: "/cabinet/sessions/$sessionId/receipts",
    component: lazy(() => import("./Receipts"), "Receipts"),
  }),
  createRoute({
    ...room,
    path: "/cabinet/questions",
    validateSearch: (said: Record<string, unknown>) => texts(said, ["session", "number", "run"]),
    component: lazy(() => import("./Questions"), "Questions"),
  }),
  createRoute({ ...room, path: "/cabinet/mails", component: lazy(() => import("./Mails"), "Mails") }),
  createRoute({ ...room, path: "/cabinet/tokens", component: lazy(() => import("./Team"), "Tokens") }),
  createRoute({ ...room, path: "/cabinet/team", component: lazy(() => import("./Team"), "Team") }),
  createRoute({ ...room, path: "/cabinet/sets", component: lazy(() => import("./Sets"), "Sets") }),
  createRoute({ ...room, path: "/sets/$name", component: lazy(() => import("./Sets"), "SetTables") }),
] as const;

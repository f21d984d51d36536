import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { rootRoute } from "@/shell/Shell";
import { readFilesSearch } from "./filesView";

/** Everything here has sentences of its own, which come with the first of its pages. */
const room = { getParentRoute: () => rootRoute, beforeLoad: () => loadRoom("cabinet") } as const;

const overview = createRoute({
  ...room,
  path: "/cabinet",
  component: lazyRouteComponent(() => import("./Sessions"), "Overview"),
});

const sessions = createRoute({
  ...room,
  path: "/cabinet/sessions",
  component: lazyRouteComponent(() => import("./Sessions"), "Sessions"),
});

const session = createRoute({
  ...room,
  path: "/cabinet/sessions/$sessionId",
  component: lazyRouteComponent(() => import("./Session"), "Session"),
});

const report = createRoute({
  ...room,
  path: "/cabinet/sessions/$sessionId/report",
  component: lazyRouteComponent(() => import("./Report"), "Report"),
});

const files = createRoute({
  ...room,
  path: "/cabinet/sessions/$sessionId/files",
  validateSearch: readFilesSearch,
  component: lazyRouteComponent(() => import("./Files"), "Files"),
});

const receipts = createRoute({
  ...room,
  path: "/cabinet/sessions/$sessionId/receipts",
  component: lazyRouteComponent(() => import("./Receipts"), "Receipts"),
});

const tokens = createRoute({
  ...room,
  path: "/cabinet/tokens",
  component: lazyRouteComponent(() => import("./Team"), "Tokens"),
});

const team = createRoute({
  ...room,
  path: "/cabinet/team",
  component: lazyRouteComponent(() => import("./Team"), "Team"),
});

const sets = createRoute({
  ...room,
  path: "/cabinet/sets",
  component: lazyRouteComponent(() => import("./Sets"), "Sets"),
});

const setTables = createRoute({
  ...room,
  path: "/sets/$name",
  component: lazyRouteComponent(() => import("./Sets"), "SetTables"),
});

/**
 * A team's own pages.
 *
 * Clause: platform §8 cabinet
 */
export const cabinetRoutes = [
  overview,
  sessions,
  session,
  report,
  files,
  receipts,
  tokens,
  team,
  sets,
  setTables,
] as const;

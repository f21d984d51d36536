import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/shell/Shell";

const getParentRoute = () => rootRoute;

/** A search parameter that is a text, or nothing. */
function text(search: Record<string, unknown>, name: string): string | undefined {
  const value = search[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

const home = createRoute({
  getParentRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./Home"), "Home"),
});

const boards = createRoute({
  getParentRoute,
  path: "/boards",
  validateSearch: (search): { board?: string; key?: string; by?: string; run?: string; open?: string } => ({
    ...(search.board === "final" ? { board: "final" } : {}),
    ...optional("key", text(search, "key")),
    ...optional("by", text(search, "by")),
    ...optional("run", text(search, "run")),
    ...optional("open", text(search, "open")),
  }),
  component: lazyRouteComponent(() => import("./Boards"), "Boards"),
});

const runs = createRoute({
  getParentRoute,
  path: "/runs",
  component: lazyRouteComponent(() => import("./Runs"), "Runs"),
});

const run = createRoute({
  getParentRoute,
  path: "/runs/$runId",
  component: lazyRouteComponent(() => import("./Run"), "Run"),
});

const announcements = createRoute({
  getParentRoute,
  path: "/announcements",
  component: lazyRouteComponent(() => import("./Home"), "Announcements"),
});

const takePart = createRoute({
  getParentRoute,
  path: "/take-part",
  component: lazyRouteComponent(() => import("./TakePart"), "TakePart"),
});

const kit = createRoute({
  getParentRoute,
  path: "/kit",
  component: lazyRouteComponent(() => import("./TakePart"), "Kit"),
});

const application = createRoute({
  getParentRoute,
  path: "/application",
  component: lazyRouteComponent(() => import("./Application"), "Application"),
});

const rules = createRoute({
  getParentRoute,
  path: "/rules",
  component: lazyRouteComponent(() => import("./Rules"), "Rules"),
});

const signIn = createRoute({
  getParentRoute,
  path: "/signin",
  validateSearch: (search): { to?: string } => optional("to", text(search, "to")),
  component: lazyRouteComponent(() => import("./SignIn"), "SignIn"),
});

const callback = createRoute({
  getParentRoute,
  path: "/signin/callback",
  component: lazyRouteComponent(() => import("./SignIn"), "Callback"),
});

const signedIn = createRoute({
  getParentRoute,
  path: "/signin/done/$name",
  component: lazyRouteComponent(() => import("./SignIn"), "SignedIn"),
});

function optional<K extends string>(name: K, value: string | undefined): { [key in K]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [key in K]?: string };
}

/**
 * The pages that everybody may see.
 *
 * Clause: platform §8 public
 */
export const publicRoutes = [
  home,
  boards,
  runs,
  run,
  announcements,
  takePart,
  kit,
  application,
  rules,
  signIn,
  callback,
  signedIn,
] as const;

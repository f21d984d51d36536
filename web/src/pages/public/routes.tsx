import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/shell/root";

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

const signIn = createRoute({
  getParentRoute,
  path: "/signin",
  validateSearch: (search): { to?: string } => optional("to", text(search, "to")),
  component: lazyRouteComponent(() => import("./SignIn"), "SignIn"),
});

const callback = createRoute({
  getParentRoute,
  path: "/signin/callback",
  component: lazyRouteComponent(() => import("./Callback"), "Callback"),
});

function optional<K extends string>(name: K, value: string | undefined): { [key in K]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [key in K]?: string };
}

export const publicRoutes = [home, signIn, callback] as const;

import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { rootRoute } from "@/shell/Shell";
import type { Search } from "./ComparisonPage";

const WHICH = /^(answer|\d{1,3})$/;
const KINDS_SAID = /^[a-z]+(-[xy])?(,[a-z]+(-[xy])?){0,6}$/;

/** The address of a comparison, down to a fragment and a metric. */
const comparisonRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$sessionId/files/$number/comparison",
  validateSearch: (said: Record<string, unknown>): Search => ({
    ...matching("x", said.x, WHICH),
    ...matching("y", said.y, WHICH),
    ...matching("f", said.f, /^[XY]\d{1,4}$/),
    ...matching("m", said.m, /^M[1-7]$/),
    ...(said.view === "beside" || said.view === "overlaid" ? { view: said.view } : {}),
    ...(said.c === "families" ? { c: said.c } : {}),
    ...matching("z", said.z, WHICH),
    ...matching("k", said.k, KINDS_SAID),
  }),
  beforeLoad: () => loadRoom("comparison"),
  component: lazy(() => import("./ComparisonPage"), "ComparisonPage"),
});

const ownAnswer = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$sessionId/files/$number/answer",
  beforeLoad: () => loadRoom("comparison"),
  component: lazy(() => import("./OwnAnswer"), "OwnAnswer"),
});

export const comparisonRoutes = [comparisonRoute, ownAnswer] as const;

function matching<Name extends string>(name: Name, value: unknown, form: RegExp): { [key in Name]?: string } {
  const text = typeof value === "number" ? String(value) : value;
  return (typeof text === "string" && form.test(text) ? { [name]: text } : {}) as { [key in Name]?: string };
}

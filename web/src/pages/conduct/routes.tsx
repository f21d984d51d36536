import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";

/** The words for causes, states and evidence are the cabinet's: both tell of the same deliveries. */
const room = {
  getParentRoute: () => deskRoute,
  beforeLoad: () => Promise.all([loadRoom("conduct"), loadRoom("cabinet")]),
} as const;

/** The delivery that is looked at, and how teams are ordered. */
interface RunSearch {
  team?: string;
  file?: number;
  order?: "worst" | undefined;
}

const runs = createRoute({
  ...room,
  path: "runs",
  component: lazyRouteComponent(() => import("./Runs"), "Runs"),
});

const plan = createRoute({
  ...room,
  path: "plan",
  component: lazyRouteComponent(() => import("./Runs"), "PlanRun"),
});

const run = createRoute({
  ...room,
  path: "runs/$runId",
  validateSearch: (said: Record<string, unknown>): RunSearch => ({
    ...(typeof said.team === "string" ? { team: said.team } : {}),
    ...(Number.isInteger(said.file) && Number(said.file) > 0 ? { file: Number(said.file) } : {}),
    ...(said.order === "worst" ? { order: "worst" as const } : {}),
  }),
  component: lazyRouteComponent(() => import("./RunPage"), "RunPage"),
});

const replay = createRoute({
  ...room,
  path: "runs/$runId/replay",
  component: lazyRouteComponent(() => import("./ReplayPage"), "ReplayPage"),
});

const settlement = createRoute({
  ...room,
  path: "settlement",
  component: lazyRouteComponent(() => import("./Settlement"), "Settlement"),
});

const settling = createRoute({
  ...room,
  path: "settlement/$runId",
  component: lazyRouteComponent(() => import("./Settling"), "Settling"),
});

const reveal = createRoute({
  ...room,
  path: "settlement/$board/reveal",
  validateSearch: (said: Record<string, unknown>): { key?: string } =>
    typeof said.key === "string" ? { key: said.key } : {},
  component: lazyRouteComponent(() => import("./Settlement"), "Reveal"),
});

const rescorings = createRoute({
  ...room,
  path: "settlement/rescorings",
  component: lazyRouteComponent(() => import("./Rescorings"), "Rescorings"),
});

const rescoring = createRoute({
  ...room,
  path: "settlement/rescorings/$rescoringId",
  component: lazyRouteComponent(() => import("./Rescorings"), "RescoringPage"),
});

const annulments = createRoute({
  ...room,
  path: "settlement/annulments",
  component: lazyRouteComponent(() => import("./Rescorings"), "Annulments"),
});

export const conductRoutes = [
  runs,
  plan,
  run,
  replay,
  settlement,
  settling,
  reveal,
  rescorings,
  rescoring,
  annulments,
] as const;

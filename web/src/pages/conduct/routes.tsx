import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
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

export const conductRoutes = [
  createRoute({ ...room, path: "runs", component: lazy(() => import("./Runs"), "Runs") }),
  createRoute({ ...room, path: "plan", component: lazy(() => import("./Runs"), "PlanRun") }),
  createRoute({
    ...room,
    path: "runs/$runId",
    validateSearch: (said: Record<string, unknown>): RunSearch => ({
      ...(typeof said.team === "string" ? { team: said.team } : {}),
      ...(Number.isInteger(said.file) && Number(said.file) > 0 ? { file: Number(said.file) } : {}),
      ...(said.order === "worst" ? { order: "worst" as const } : {}),
    }),
    component: lazy(() => import("./RunPage"), "RunPage"),
  }),
  createRoute({ ...room, path: "runs/$runId/replay", component: lazy(() => import("./ReplayPage"), "ReplayPage") }),
  createRoute({ ...room, path: "settlement", component: lazy(() => import("./Settlement"), "Settlement") }),
  createRoute({ ...room, path: "settlement/$runId", component: lazy(() => import("./Settling"), "Settling") }),
  createRoute({
    ...room,
    path: "settlement/$board/reveal",
    validateSearch: (said: Record<string, unknown>): { key?: string } =>
      typeof said.key === "string" ? { key: said.key } : {},
    component: lazy(() => import("./Settlement"), "Reveal"),
  }),
  createRoute({ ...room, path: "settlement/rescorings", component: lazy(() => import("./Rescorings"), "Rescorings") }),
  createRoute({
    ...room,
    path: "settlement/rescorings/$rescoringId",
    component: lazy(() => import("./Rescorings"), "RescoringPage"),
  }),
  createRoute({ ...room, path: "settlement/annulments", component: lazy(() => import("./Rescorings"), "Annulments") }),
] as const;

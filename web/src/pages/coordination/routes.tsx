import { createRoute, lazyRouteComponent as lazy } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";
import { texts } from "@/ui/keys";

const room = { getParentRoute: () => deskRoute, beforeLoad: () => loadRoom("coordination") } as const;

const markings = createRoute({ ...room, path: "experts", component: lazy(() => import("./Markings"), "Markings") });

const people = createRoute({ ...room, path: "experts/people", component: lazy(() => import("./People"), "People") });

const marking = createRoute({
  ...room,
  path: "experts/markings/$markingId",
  validateSearch: (said: Record<string, unknown>) => texts(said, ["show", "subject"]),
  component: lazy(() => import("./MarkingPage"), "MarkingPage"),
});

const agreement = createRoute({
  ...room,
  path: "experts/markings/$markingId/agreement",
  component: lazy(() => import("./AgreementPage"), "AgreementPage"),
});

export const coordinationRoutes = [markings, people, marking, agreement] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { loadRoom } from "@/i18n/i18n";
import { deskRoute } from "@/pages/desk/routes";
import { texts } from "@/ui/keys";

const room = { getParentRoute: () => deskRoute, beforeLoad: () => loadRoom("coordination") } as const;

const markings = createRoute({
  ...room,
  path: "experts",
  component: lazyRouteComponent(() => import("./Markings"), "Markings"),
});

const people = createRoute({
  ...room,
  path: "experts/people",
  component: lazyRouteComponent(() => import("./People"), "People"),
});

const marking = createRoute({
  ...room,
  path: "experts/markings/$markingId",
  validateSearch: (said: Record<string, unknown>) => texts(said, ["show", "subject"]),
  component: lazyRouteComponent(() => import("./MarkingPage"), "MarkingPage"),
});

const agreement = createRoute({
  ...room,
  path: "experts/markings/$markingId/agreement",
  component: lazyRouteComponent(() => import("./AgreementPage"), "AgreementPage"),
});

export const coordinationRoutes = [markings, people, marking, agreement] as const;

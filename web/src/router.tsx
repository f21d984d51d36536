import { createRouter } from "@tanstack/react-router";
import { annotatorRoutes } from "@/pages/annotator/routes";
import { cabinetRoutes } from "@/pages/cabinet/routes";
import { comparisonRoutes } from "@/pages/comparison/routes";
import { conductRoutes } from "@/pages/conduct/routes";
import { coordinationRoutes } from "@/pages/coordination/routes";
import { deskHomeRoute, deskRoute } from "@/pages/desk/routes";
import { judgesRoutes } from "@/pages/judges/routes";
import { officeRoutes } from "@/pages/office/routes";
import { publicRoutes } from "@/pages/public/routes";
import { ownSubmissionRoutes, submittedRoutes } from "@/pages/submissions/routes";
import { NotFound, RouteFailure } from "@/shell/AskedPage";
import { rootRoute } from "@/shell/Shell";
import { Skeleton } from "@/ui/Page";

const routeTree = rootRoute.addChildren([
  ...publicRoutes,
  ...cabinetRoutes,
  ...annotatorRoutes,
  ...comparisonRoutes,
  ...ownSubmissionRoutes,
  deskRoute.addChildren([
    deskHomeRoute,
    ...conductRoutes,
    ...judgesRoutes,
    ...officeRoutes,
    ...coordinationRoutes,
    ...submittedRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  // Skeletons wait by themselves.
  defaultPendingMs: 0,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => <Skeleton lines={8} />,
  defaultErrorComponent: RouteFailure,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

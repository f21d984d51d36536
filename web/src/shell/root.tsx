import { createRootRoute } from "@tanstack/react-router";
import { Shell } from "./Shell";

/** The route that all others are children of. */
export const rootRoute = createRootRoute({ component: Shell });

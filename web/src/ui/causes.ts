import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Schemas } from "@/api/client";

type Cause = NonNullable<Schemas["DeliveryBody"]["cause"]>;

/** Why a file does not count, in words. */
export const CAUSES: Readonly<Record<Cause, MessageDescriptor>> = {
  team_late: msg`the team was late`,
  team_invalid: msg`invalid answer`,
  network: msg`network`,
  platform: msg`platform`,
  organizer_decision: msg`organizers' decision`,
};

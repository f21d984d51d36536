import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";

type Import = Schemas["ImportLine"];

export const STATES: Readonly<Record<Import["state"], MessageDescriptor>> = {
  uploading: msg`the zip is not whole yet`,
  queued: msg`waits for a worker`,
  checking: msg`is being checked`,
  storing: msg`is being stored`,
  done: msg`loaded`,
  refused: msg`refused: nothing of it was loaded`,
};

/** What a zip holds. */
export function WhatWord({ what }: { what: Import["kind"] }) {
  return what === "set" ? <Trans>the files of one set</Trans> : <Trans>a whole cycle with cycle.json</Trans>;
}

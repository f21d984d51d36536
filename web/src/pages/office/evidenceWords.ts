import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** What the platform's doctor tells of what is stuck, each by its name there. */
export const EVIDENCE: Readonly<Record<string, MessageDescriptor>> = {
  answers: msg`answers without a score`,
  attempt: msg`attempt`,
  done: msg`done`,
  error: msg`error`,
  files: msg`files`,
  given: msg`experts who have it`,
  item_id: msg`item`,
  kind: msg`kind`,
  language: msg`language`,
  letters: msg`messages`,
  looked_at: msg`looked at`,
  made: msg`teams' results made`,
  marking_id: msg`work given out`,
  mode: msg`mode`,
  read: msg`files read`,
  seen_at: msg`last heard`,
  set: msg`set`,
  state: msg`state`,
  subject: msg`about`,
  team_id: msg`team`,
  teams: msg`teams`,
  ticked_at: msg`last ticked`,
  total: msg`of all`,
  unscored: msg`answers without a score`,
};

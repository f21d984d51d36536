import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

const ROLES: Readonly<Record<string, MessageDescriptor>> = {
  participant: msg`participant`,
  program: msg`a program`,
  expert: msg`expert`,
  judge: msg`judge`,
  clinician: msg`clinician`,
  commission: msg`commission`,
  organizer: msg`organizer`,
};

/** What somebody is for the platform, in words. */
export function roleName(role: string): MessageDescriptor {
  return ROLES[role] ?? { id: role, message: role };
}

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LinkProps } from "@tanstack/react-router";

export interface NavItem {
  to: NonNullable<LinkProps["to"]>;
  label: MessageDescriptor;
  /** Shown only to whom the platform gives this right; without one, to everybody. */
  right?: string;
  /** After `g`, the letter (by its place on the keyboard) that goes there. */
  key: string;
}

/** The navigation, in its order. A link that is missing here forbids nothing: that is the platform's business. */
export const NAV: readonly NavItem[] = [
  { to: "/assignments", label: msg({ message: "My {items}" }), right: "mark_up", key: "KeyM" },
  { to: "/round", label: msg`My round`, right: "review", key: "KeyV" },
  { to: "/boards", label: msg`Boards`, key: "KeyB" },
  { to: "/runs", label: msg`Runs`, key: "KeyR" },
  { to: "/announcements", label: msg`Announcements`, key: "KeyA" },
  { to: "/take-part", label: msg`Take part`, key: "KeyT" },
  { to: "/cabinet", label: msg`Cabinet`, right: "cabinet", key: "KeyC" },
  // Every section of the desk belongs to users who may read reports: judges, commission, organizers.
  { to: "/desk", label: msg`Desk`, right: "read_reports", key: "KeyD" },
  { to: "/rules", label: msg`Rules`, key: "KeyU" },
];

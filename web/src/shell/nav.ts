import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LinkProps } from "@tanstack/react-router";

export interface NavItem {
  to: NonNullable<LinkProps["to"]>;
  label: MessageDescriptor;
  /** Right that a user needs to see the link; undefined if everybody sees it. */
  right?: string;
  /** Letter (by its place on the keyboard) that opens the page after `g`. */
  key: string;
}

/** The navigation, in its order. Hiding a link forbids nothing: the platform checks rights itself. */
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

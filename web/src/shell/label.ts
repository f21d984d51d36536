import { useLingui } from "@lingui/react";
import { useCalled } from "@/ui/contest";
import type { NavItem } from "./nav";

/** How an entry is called: the contest has its own word for what is marked up. */
export function useLabel(): (of: NavItem) => string {
  const { i18n } = useLingui();
  const { many } = useCalled();
  return ({ label }) => i18n._(label.id, { items: many });
}

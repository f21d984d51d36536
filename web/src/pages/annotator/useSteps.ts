import { useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { Desk, View } from "./desk";

export interface Steps {
  readonly undo: () => void;
  readonly redo: () => void;
}

/** Undo and redo; they go to the place and say what they did. */
export function useSteps(
  desk: Pick<Desk, "undo" | "redo" | "undoable" | "redoable" | "next">,
  view: Pick<View, "goTo" | "announce">,
): Steps {
  const { t } = useLingui();
  const { undo, redo, undoable, redoable, next } = desk;
  const { goTo, announce } = view;
  return useMemo(() => {
    const names = {
      mark: t`a fragment`,
      remove: t`a removal`,
      code: t`a change of code`,
      place: t`a change of place`,
      write: t`a change of text`,
      link: t`a link`,
      import: t`an import`,
      adopt: t`an adoption`,
      rate: t`a rating`,
      edit: t`a correction`,
      context: t`what was said of context`,
      answer: t`an answer`,
    };
    return {
      undo() {
        const step = next.undo;
        if (!undoable || !step) return announce(t`Nothing to undo`);
        undo();
        if (step.about !== null) goTo(step.about);
        announce(t`Undone: ${names[step.deed]}`);
      },
      redo() {
        const step = next.redo;
        if (!redoable || !step) return announce(t`Nothing to redo`);
        redo();
        if (step.about !== null) goTo(step.about);
        announce(t`Redone: ${names[step.deed]}`);
      },
    };
  }, [t, undo, redo, undoable, redoable, next, goTo, announce]);
}

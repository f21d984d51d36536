import { useLingui } from "@lingui/react/macro";
import { createContext, type RefObject, use, useEffect, useMemo } from "react";
import type { Schemas } from "@/api/client";
import type { Earlier } from "@/text/adoption";
import type { Code, Uses } from "@/text/codes";
import { type Command, change } from "@/text/commands";
import type { SaveState } from "@/text/journal";
import { type Fragment, isWholeText, type SentMarkup } from "@/text/markup";
import { nextBorder, nextCharacter, type Span } from "@/text/spans";
import type { SurfaceHandle } from "@/text/TextSurface";
import { type KeyHelp, useKeyHelp } from "@/ui/keys";

export type Judged = Schemas["JudgedBody"];
export type Assignment = Schemas["AssignmentBody"];
export type Id = Fragment["id"];

/** Why nothing can be changed: another tab has the essay, the work is over, or the platform refused it. */
type Closed = "elsewhere" | "over" | "refused";

/** What a third expert is shown: why a third reading was asked for, and the two markups of nobody knows whom. */
export interface Third extends Earlier {
  readonly reasons: readonly { readonly message?: string; readonly message_ru?: string }[];
}

/** What an assignment asks for. */
export type Kind = "markup" | "ratings" | "edits";

/** Work under a clock, for the line above it: what is saved, what can be undone, how long there is. */
export interface Working {
  readonly save: SaveState;
  readonly closed: Closed | null;
  readonly undoable: boolean;
  readonly redoable: boolean;
  /** Until when it runs; null where it does not. */
  readonly closesAt: string | null;
  readonly takeOver: () => void;
  readonly refresh: () => void;
}

/** An essay on which somebody works, for everything around it. */
export interface Desk extends Working {
  readonly assignment: Assignment;
  readonly kind: Kind;
  readonly essay: SentMarkup;
  /** The two earlier markups, for a third expert. */
  readonly third: Third | null;
  /** Suggested fragments of a program or a dictionary; null where there are none. */
  readonly suggested: readonly Fragment[] | null;
  readonly codes: readonly Code[];
  readonly codeOf: (name: string) => Code | undefined;
  readonly titleOf: (category: string) => string;
  readonly fragments: readonly Fragment[];
  readonly next: { readonly undo: Command | undefined; readonly redo: Command | undefined };
  readonly judged: Judged | null;
  /** The grade before the last one, so that what changed can be marked. */
  readonly before: Judged | null;
  readonly uses: Uses;
  readonly picked: (code: string) => void;
  readonly run: (command: Command) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly saveNow: () => Promise<SaveState>;
  readonly settle: (choice: "mine" | "theirs") => void;
  readonly handIn: () => Promise<void>;
}

/** What lies over the annotator. */
export type Sheet = "hand-in" | "shortcuts" | "exchange" | null;

/** What somebody looks at. */
export interface View {
  readonly active: Fragment | null;
  readonly activate: (id: Id | null) => void;
  /** Goes to a fragment: shows it in the text and in the details. */
  readonly goTo: (id: Id) => void;
  readonly pick: (request: PickRequest) => void;
  readonly announce: (text: string) => void;
  readonly surface: RefObject<SurfaceHandle | null>;
  readonly toText: (span?: Span) => void;
}

/** What a code is wanted for: a new fragment, or another code of one. */
export interface PickRequest {
  readonly for: { readonly span: Span } | { readonly id: Id };
  readonly typed: string;
}

function nothing(): void {}

/** The view of work without a text that codes are picked for. */
export const WITHOUT_SURFACE: Pick<View, "activate" | "pick" | "surface" | "toText"> = {
  activate: nothing,
  pick: nothing,
  surface: { current: null },
  toText: nothing,
};

export const DeskContext = createContext<Desk | null>(null);
export const ViewContext = createContext<View | null>(null);

export function useDesk(): Desk {
  const desk = use(DeskContext);
  if (!desk) throw new Error("outside a desk");
  return desk;
}

export function useView(): View {
  const view = use(ViewContext);
  if (!view) throw new Error("outside a view");
  return view;
}

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
      context: t`description of the context`,
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

const GAP = 8;

/** Tells the columns beside the text how much of the window is left to them, wherever the page is scrolled to. */
export function useRoom(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const measure = () => {
      const [header, columns] = ["toolbar", "columns"].map((name) => element.querySelector(`[data-part=${name}]`));
      if (!header || !columns) return;
      const under = header.getBoundingClientRect().height + GAP;
      const top = Math.max(under, columns.getBoundingClientRect().top);
      element.style.setProperty("--under", `${under}px`);
      element.style.setProperty("--room", `${Math.max(0, window.innerHeight - top - GAP)}px`);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    measure();
    return () => {
      observer.disconnect();
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [root]);
}

/** Keys with Ctrl (or Cmd), by their place on the keyboard, wherever the focus is, while `on`; and the list of all keys. */
export function useWorkKeys(
  { undo, redo }: Steps,
  { saveNow, handIn }: { saveNow: () => unknown; handIn?: () => void },
  on: boolean,
  own: readonly KeyHelp[],
): void {
  const { t } = useLingui();
  useEffect(() => {
    const keys: Record<string, (() => unknown) | undefined> = {
      KeyZ: undo,
      "Shift+KeyZ": redo,
      KeyY: redo,
      KeyS: saveNow,
      "Shift+Enter": handIn,
    };
    const pressed = (event: KeyboardEvent) => {
      if (!on || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      const work = keys[(event.shiftKey ? "Shift+" : "") + event.code];
      if (!work) return;
      event.preventDefault();
      void work();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
  useKeyHelp([
    ...own,
    { keys: "Ctrl+Z, Ctrl+Shift+Z", does: t`undo, redo` },
    { keys: "Ctrl+S", does: t`save now` },
    ...(handIn ? [{ keys: "Ctrl+Shift+Enter", does: t`hand in` }] : []),
  ]);
}

/** Moves an end of a fragment, by words or by characters. */
export function moveBorder(
  desk: Desk,
  fragment: Fragment,
  side: "start" | "end",
  by: -1 | 1,
  byCharacter: boolean,
): void {
  if (isWholeText(fragment)) return;
  const { start, end } = (byCharacter ? nextCharacter : nextBorder)(desk.essay.text, fragment, side, by);
  if (start !== fragment.start || end !== fragment.end)
    desk.run(change(fragment, { start, end }, "place", `place ${fragment.id} ${side}`));
}

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

/** Reason why the work is read-only: another tab has the essay, the work is over, or the platform refused it. */
type Closed = "elsewhere" | "over" | "refused";

/** Material for a third expert: the reasons for the third reading, and the two anonymous earlier markups. */
export interface Third extends Earlier {
  readonly reasons: readonly { readonly message?: string; readonly message_ru?: string }[];
}

/** Kind of work that an assignment asks for. */
export type Kind = "markup" | "ratings" | "edits";

/** State of timed work for its toolbar: save state, undo and redo, end time. */
export interface Working {
  readonly save: SaveState;
  readonly closed: Closed | null;
  readonly undoable: boolean;
  readonly redoable: boolean;
  /** End time of the work; null if no time limit is running. */
  readonly closesAt: string | null;
  readonly takeOver: () => void;
  readonly refresh: () => void;
}

/** Essay being worked on, with the state and actions that the annotator's parts share. */
export interface Desk extends Working {
  readonly assignment: Assignment;
  readonly kind: Kind;
  readonly essay: SentMarkup;
  /** The two earlier markups, for a third expert. */
  readonly third: Third | null;
  /** Suggested fragments of a program or a dictionary; null if there are none. */
  readonly suggested: readonly Fragment[] | null;
  readonly codes: readonly Code[];
  readonly codeOf: (name: string) => Code | undefined;
  readonly titleOf: (category: string) => string;
  readonly fragments: readonly Fragment[];
  readonly next: { readonly undo: Command | undefined; readonly redo: Command | undefined };
  readonly judged: Judged | null;
  /** Grade before the last one, so that changes can be marked. */
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

/** Sheet that is open over the annotator; null if none is. */
export type Sheet = "hand-in" | "shortcuts" | "exchange" | null;

/** The active fragment, the text surface, and the actions that change the view. */
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

/** Request to pick a code: for a new fragment, or as another code of an existing one. */
export interface PickRequest {
  readonly for: { readonly span: Span } | { readonly id: Id };
  readonly typed: string;
}

function nothing(): void {}

/** View for work without a text surface, where no codes are picked. */
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

/** Return undo and redo; both go to the changed place and announce the change. */
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

/** Tell the columns beside the text how much window height is left to them at any scroll position. */
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

/** Handle keys with Ctrl (or Cmd) by physical position, wherever the focus is, while `on`; register the key list. */
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

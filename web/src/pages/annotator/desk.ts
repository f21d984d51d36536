import { createContext, type RefObject, use } from "react";
import type { Schemas } from "@/api/client";
import type { Earlier } from "@/text/adoption";
import type { Code, Uses } from "@/text/codes";
import type { Command } from "@/text/commands";
import type { Span } from "@/text/graphemes";
import type { SaveState } from "@/text/journal";
import type { Fragment, SentMarkup } from "@/text/markup";
import type { SurfaceHandle } from "@/text/TextSurface";

export type Judged = Schemas["JudgedBody"];
export type Assignment = Schemas["AssignmentBody"];
export type Id = Fragment["id"];

/** Why nothing can be changed: another tab has the essay, the work is over, or the platform refused it. */
export type Closed = "elsewhere" | "over" | "refused";

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
  readonly codes: readonly Code[];
  readonly codeOf: (name: string) => Code | undefined;
  /** What a category is called in the reader's language. */
  readonly titleOf: (category: string) => string;
  readonly fragments: readonly Fragment[];
  /** What undoing and redoing would do. */
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

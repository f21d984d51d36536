import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { currentSession, onSession } from "@/auth/session";
import { begin, type Command, type History, replacement } from "@/text/commands";
import { type Draft, Journal, type SaveState, type Server, type Timers } from "@/text/journal";
import type { Fragment } from "@/text/markup";
import { useUnsaved } from "@/ui/keys";
import { storeOf } from "./database";
import type { Working } from "./desk";

const TIMERS: Timers = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

interface JournalOptions<Judged> {
  /** What the work is kept by on this device; no two people's work has the same. */
  readonly id: string;
  readonly server: () => Server<Judged>;
  readonly draft: () => Draft;
  /** Whether the platform answered when the page was opened; else the journal is all there is. */
  readonly online: boolean;
  /** Whether this tab may change it. */
  readonly isOpen: boolean;
  readonly judged: (saved: Judged) => void;
  readonly failed: (error: unknown) => void;
}

/** What somebody does, kept on this device at once and saved on the platform a moment later. */
export interface Journaled extends Pick<Working, "save" | "undoable" | "redoable"> {
  readonly fragments: readonly Fragment[];
  readonly next: { readonly undo: Command | undefined; readonly redo: Command | undefined };
  readonly run: (command: Command) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly saveNow: () => Promise<SaveState>;
  readonly settle: (choice: "mine" | "theirs") => void;
  /** The journal while this tab may change the work. */
  readonly journal: { readonly current: Pick<Journal<unknown>, "basedOn" | "forget" | "moved"> | null };
}

/** A journal for as long as a page works on something: kept, saved, undone, taken up again after a reload. */
export function useJournal<Judged>(options: JournalOptions<Judged>): Journaled {
  const { id, online, isOpen } = options;
  const [history, setHistory] = useState<History>(() => begin(options.draft().fragments));
  const [save, setSave] = useState<SaveState>(() => ({ kind: "saved", at: options.draft().savedAt }));
  const journal = useRef<Journal<Judged> | null>(null);
  const told = useRef(options);
  told.current = options;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a journal is begun once for a piece of work, and goes on from there
  useEffect(() => {
    if (!isOpen) return;
    const failed = (error: unknown) => told.current.failed(error);
    const made = new Journal<Judged>(storeOf(id), options.server(), TIMERS, {
      changed: setHistory,
      state: setSave,
      judged: (saved) => told.current.judged(saved),
      unkept: failed,
    });
    journal.current = made;
    made.open(online ? options.draft() : null).catch(failed);
    const back = () => made.retry();
    const hidden = () => {
      if (document.hidden && made.unsaved > 0) void made.flush(true);
    };
    window.addEventListener("online", back);
    const forget = onSession(() => {
      if (currentSession().state === "in") back();
    });
    document.addEventListener("visibilitychange", hidden);
    return () => {
      made.close();
      journal.current = null;
      window.removeEventListener("online", back);
      forget();
      document.removeEventListener("visibilitychange", hidden);
    };
  }, [id, isOpen]);

  useUnsaved(isOpen && save.kind !== "saved");
  return {
    fragments: history.fragments,
    undoable: history.past.length > 0,
    redoable: history.future.length > 0,
    next: useMemo(() => ({ undo: history.past.at(-1), redo: history.future[0] }), [history]),
    save,
    run: useCallback((command: Command) => void journal.current?.record({ do: command }), []),
    undo: useCallback(() => void journal.current?.record({ undo: true }), []),
    redo: useCallback(() => void journal.current?.record({ redo: true }), []),
    saveNow: useCallback(async () => (await journal.current?.flush()) ?? { kind: "saved", at: null }, []),
    settle: useCallback((choice) => {
      const made = journal.current;
      void made?.settle(choice, (theirs) => ({ do: replacement(made.now.fragments, theirs, "import") }));
    }, []),
    journal,
  };
}

/** Why nothing can be changed, if nothing can: the work is over, another tab has it, or the platform refused it. */
export function closedBy(open: boolean, held: boolean, save: SaveState): Working["closed"] {
  if (!open) return "over";
  if (!held) return "elsewhere";
  return save.kind === "refused" ? "refused" : null;
}

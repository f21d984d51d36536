import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { api } from "@/api/client";
import { currentSession, onSession } from "@/auth/session";
import { type Code, countUses } from "@/text/codes";
import { begin, type Command, type History, replacement } from "@/text/commands";
import { Journal, type SaveState, type Timers } from "@/text/journal";
import { inLanguage, useLanguage } from "@/ui/cycle";
import { useUnsaved } from "@/ui/unsaved";
import { keepPicks, picksOf, storeOf, type Taken } from "./database";
import type { Assignment, Closed, Desk, Judged } from "./desk";
import { draftOf, essayOf, pathOf, type Saved, serverOf, thirdOf, writerOf } from "./server";

const TIMERS: Timers = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

interface DeskOptions {
  readonly taken: Taken;
  /** Whether the platform answered when the page was opened; else the journal is all there is. */
  readonly online: boolean;
  /** Whether the work can still be changed. */
  readonly open: boolean;
  readonly lock: { readonly held: boolean; readonly takeOver: () => void };
  readonly changed: (assignment: Assignment) => void;
  readonly refresh: () => void;
  readonly failed: (error: unknown) => void;
}

/** The work on one essay: its journal, what the platform said of it last, and what can be done. */
export function useOwnDesk({ taken, online, open, lock, changed, refresh, failed }: DeskOptions): Desk {
  const { work, codes, titles } = taken;
  const language = useLanguage();
  const { assignment_id: id, subject } = work.assignment;
  const [history, setHistory] = useState<History>(() => begin(draftOf(work).fragments));
  const [save, setSave] = useState<SaveState>({ kind: "saved", at: work.assignment.draft?.saved_at ?? null });
  const [judged, setJudged] = useState<{ now: Judged | null; before: Judged | null }>({
    now: work.judged ?? null,
    before: null,
  });
  const [picks, setPicks] = useState<readonly string[]>([]);
  const journal = useRef<Journal<Saved> | null>(null);
  const told = useRef({ changed, failed });
  told.current = { changed, failed };
  const essay = essayOf(work);
  const codeOf = useMemo(() => finder(codes), [codes]);
  const isOpen = open && lock.held;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a desk is made once for an essay; the journal goes on from there
  useEffect(() => {
    if (!isOpen) return;
    const made = new Journal<Saved>(
      storeOf(id),
      serverOf(
        id,
        writerOf(work, (name) => codeOf(name)?.group ?? "error"),
      ),
      TIMERS,
      {
        changed: setHistory,
        state: setSave,
        judged: (saved) => {
          setJudged(({ now }) => ({ now: saved.judged, before: now }));
          told.current.changed(saved.assignment);
        },
        unkept: (error) => told.current.failed(error),
      },
    );
    journal.current = made;
    made.open(online ? draftOf(work) : null).catch((error: unknown) => told.current.failed(error));
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

  useEffect(() => {
    picksOf(subject).then(setPicks, (error: unknown) => told.current.failed(error));
  }, [subject]);

  const run = useCallback((command: Command) => void journal.current?.record({ do: command }), []);
  const undo = useCallback(() => void journal.current?.record({ undo: true }), []);
  const redo = useCallback(() => void journal.current?.record({ redo: true }), []);
  const picked = useCallback(
    (code: string) =>
      setPicks((before) => {
        const after = [code, ...before];
        void keepPicks(subject, after).catch((error: unknown) => told.current.failed(error));
        return after;
      }),
    [subject],
  );
  useUnsaved(isOpen && save.kind !== "saved");
  const closed: Closed | null = !open ? "over" : !lock.held ? "elsewhere" : save.kind === "refused" ? "refused" : null;
  return {
    assignment: work.assignment,
    essay,
    third: useMemo(() => thirdOf(work.earlier), [work.earlier]),
    codes,
    codeOf,
    titleOf: useCallback((name) => inLanguage(titles[name] ?? { en: name }, language), [titles, language]),
    fragments: history.fragments,
    undoable: history.past.length > 0,
    redoable: history.future.length > 0,
    next: useMemo(() => ({ undo: history.past.at(-1), redo: history.future[0] }), [history]),
    judged: judged.now,
    before: judged.before,
    save,
    closed,
    uses: useMemo(() => countUses(picks), [picks]),
    picked,
    run,
    undo,
    redo,
    saveNow: useCallback(async () => (await journal.current?.flush()) ?? { kind: "saved", at: null }, []),
    settle: useCallback((choice) => {
      const made = journal.current;
      void made?.settle(choice, (theirs) => ({ do: replacement(made.now.fragments, theirs, "import") }));
    }, []),
    takeOver: lock.takeOver,
    handIn: useCallback(async () => {
      const made = journal.current;
      if (!made) return;
      const header = { "if-match": `"${made.basedOn}"` };
      const { data } = await api.POST("/v1/assignments/{assignment_id}/hand-in", {
        params: { ...pathOf(id).params, header },
      });
      await made.forget();
      if (data) told.current.changed(data.assignment);
    }, [id]),
    refresh,
  };
}

function finder(codes: readonly Code[]): (name: string) => Code | undefined {
  const known = new Map(codes.map((each) => [each.code.toLowerCase(), each]));
  return (name) => known.get(name.toLowerCase());
}

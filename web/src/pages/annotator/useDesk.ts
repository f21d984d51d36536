import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { api } from "@/api/client";
import { type Code, countUses } from "@/text/codes";
import { inLanguage, useLanguage } from "@/ui/contest";
import { keepPicks, picksOf, type Taken } from "./database";
import type { Assignment, Desk, Judged } from "./desk";
import { draftOf, essayOf, kindOf, pathOf, type Saved, serverOf, thirdOf, writerOf } from "./server";
import { closedBy, useJournal } from "./useJournal";

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
  const [judged, setJudged] = useState<{ now: Judged | null; before: Judged | null }>({
    now: work.judged ?? null,
    before: null,
  });
  const [picks, setPicks] = useState<readonly string[]>([]);
  const told = useRef({ changed, failed });
  told.current = { changed, failed };
  const essay = useMemo(() => essayOf(work), [work]);
  const codeOf = useMemo(() => finder(codes), [codes]);
  const { journal, ...journaled } = useJournal<Saved>({
    id,
    server: () =>
      serverOf(
        id,
        writerOf(work, (name) => codeOf(name)?.group ?? "error"),
      ),
    draft: () => draftOf(work),
    online,
    isOpen: open && lock.held,
    judged: (saved) => {
      setJudged(({ now }) => ({ now: saved.judged, before: now }));
      told.current.changed(saved.assignment);
    },
    failed,
  });

  useEffect(() => {
    picksOf(subject).then(setPicks, (error: unknown) => told.current.failed(error));
  }, [subject]);

  const picked = useCallback(
    (code: string) =>
      setPicks((before) => {
        const after = [code, ...before];
        void keepPicks(subject, after).catch((error: unknown) => told.current.failed(error));
        return after;
      }),
    [subject],
  );
  return {
    ...journaled,
    assignment: work.assignment,
    kind: kindOf(work),
    closesAt: work.assignment.state === "opened" ? work.assignment.closes_at : null,
    essay,
    third: useMemo(() => thirdOf(work.earlier), [work.earlier]),
    codes,
    codeOf,
    titleOf: useCallback((name) => inLanguage(titles[name] ?? { en: name }, language), [titles, language]),
    judged: judged.now,
    before: judged.before,
    closed: closedBy(open, lock.held, journaled.save),
    uses: useMemo(() => countUses(picks), [picks]),
    picked,
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
      // What was handed in is shown from now on, not what the page began with.
      refresh();
    }, [id, journal, refresh]),
    refresh,
  };
}

function finder(codes: readonly Code[]): (name: string) => Code | undefined {
  const known = new Map(codes.map((each) => [each.code.toLowerCase(), each]));
  return (name) => known.get(name.toLowerCase());
}

import { useLingui } from "@lingui/react/macro";
import { useEffect, useMemo, useRef, useState } from "react";
import { type Drawn, quoteOf } from "@/text/drawn";
import { isWholeText } from "@/text/markup";
import { acceptance, nextOpen, type Suggestion, suggestionsOf } from "@/text/suggestions";
import { Button } from "@/ui/controls";
import { PageSection } from "@/ui/Page";
import styles from "./annotator.module.css";
import { type Desk, useDesk, type View } from "./desk";

/** An expert's actions on the suggestions of a program or a dictionary. */
export interface Suggesting {
  readonly all: readonly Suggestion[];
  readonly chosen: Suggestion | null;
  readonly choose: (key: string) => void;
  readonly step: (by: 1 | -1) => void;
  /** Accepts or rejects the chosen one, or the named one, and goes on to the next. */
  readonly accept: (key?: string) => void;
  readonly reject: (key?: string) => void;
}

const SIGNS = { open: "?", accepted: "✓", rejected: "✕" } as const;
const LETTER = "s";

export function useSuggestions(desk: Desk, view: View): Suggesting | null {
  const { t } = useLingui();
  const { suggested, fragments } = desk;
  const [rejected, reject] = useRejected(desk.assignment.assignment_id);
  const [key, setKey] = useState<string | null>(null);
  const all = useMemo(
    () => (suggested ? suggestionsOf(suggested, fragments, rejected) : []),
    [suggested, fragments, rejected],
  );
  if (!suggested) return null;
  const chosen = all.find((suggestion) => suggestion.key === key) ?? null;
  const show = (suggestion: Suggestion | undefined) => {
    setKey(suggestion?.key ?? null);
    if (suggestion && !isWholeText(suggestion.suggestion)) view.surface.current?.show(suggestion.suggestion);
  };
  const done = (decided: string | undefined, act: (of: Suggestion) => string) => {
    const current = all.find((suggestion) => suggestion.key === (decided ?? key));
    if (desk.closed !== null || current?.standing !== "open") return;
    view.announce(act(current));
    show(nextOpen(all, current.key, 1));
  };
  return {
    all,
    chosen,
    choose: (picked) => show(all.find((suggestion) => suggestion.key === picked)),
    step: (by) => show(nextOpen(all, key, by)),
    accept: (picked) =>
      done(picked, ({ suggestion }) => {
        desk.run(acceptance(fragments, suggested, suggestion));
        return t`Suggestion accepted: ${suggestion.code}`;
      }),
    reject: (picked) =>
      done(picked, (place) => {
        reject(place.key);
        return t`Suggestion rejected: ${place.suggestion.code}`;
      }),
  };
}

/** Return the keys of the suggestions rejected on this device, and a function that rejects one. */
function useRejected(assignmentId: string): [ReadonlySet<string>, (key: string) => void] {
  const name = `hurdle.rejected.${assignmentId}`;
  const [rejected, setRejected] = useState<ReadonlySet<string>>(() => new Set(localStorage.getItem(name)?.split("\n")));
  const reject = (key: string) => {
    const more = new Set([...rejected, key]);
    localStorage.setItem(name, [...more].join("\n"));
    setRejected(more);
  };
  return [rejected, reject];
}

/** Return the lines of open suggestions: dotted and above the words, so never mistaken for own fragments. */
export function linesOfSuggestions(all: readonly Suggestion[]): Omit<Drawn, "lane">[] {
  return all
    .filter(({ standing }) => standing === "open")
    .map(({ key, suggestion }) => ({
      key: LETTER + key,
      start: suggestion.start,
      end: suggestion.end,
      tone: "third",
      stroke: "dotted",
      block: false,
      above: true,
      label: `${SIGNS.open} ${suggestion.code}`,
    }));
}

/** Return the suggestion of a clicked line. */
export function suggestionAt({ all }: Suggesting, line: string): Suggestion | undefined {
  return all.find(({ key }) => LETTER + key === line);
}

/** List of suggestions with their counts; each can be accepted or rejected. */
export function Suggestions({ suggesting }: { suggesting: Suggesting }) {
  const { t } = useLingui();
  const { all, chosen } = suggesting;
  const list = useRef<HTMLUListElement>(null);
  const count = (kind: Suggestion["standing"]) => all.filter(({ standing }) => standing === kind).length;
  const [open, accepted, rejected] = [count("open"), count("accepted"), count("rejected")];
  useEffect(() => {
    if (chosen) list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <PageSection id="suggestions" title={t`Suggestions`} data-zone="earlier" className={styles.panel}>
      <p className={styles.help}>
        {t`Of a program or a dictionary, dotted above the words. They are no part of your markup until you accept them.`}
      </p>
      <p role="status" data-counts>
        {t`Open: ${open}. Accepted: ${accepted}. Rejected: ${rejected}.`}
      </p>
      <div className={styles.earlier}>
        <ul ref={list}>
          {all.map((suggestion) => (
            <Row key={suggestion.key} of={suggestion} suggesting={suggesting} />
          ))}
        </ul>
      </div>
    </PageSection>
  );
}

function Row({ of: { key, suggestion, standing }, suggesting }: { of: Suggestion; suggesting: Suggesting }) {
  const { t } = useLingui();
  const { essay, closed } = useDesk();
  const { code } = suggestion;
  const quote = isWholeText(suggestion) ? t`the whole text` : quoteOf(essay.text, suggestion);
  const words = {
    open: t({ context: "suggestion", message: "open" }),
    accepted: t({ context: "suggestion", message: "accepted" }),
    rejected: t({ context: "suggestion", message: "rejected" }),
  }[standing];
  return (
    <li
      data-family={standing === "accepted" ? "same" : "third"}
      data-suggestion={standing}
      aria-current={key === suggesting.chosen?.key ? "true" : undefined}
    >
      <button type="button" className={styles.place} onClick={() => suggesting.choose(key)}>
        <span aria-hidden="true">{SIGNS[standing]} </span>
        <b>{code}</b> <small>{words}</small>
        <q>{quote}</q>
      </button>
      {closed === null && standing === "open" && (
        <>
          <Button aria-label={t`=: accept ${code}, ${quote}`} onPress={() => suggesting.accept(key)}>
            =
          </Button>
          <Button aria-label={t`−: reject ${code}, ${quote}`} onPress={() => suggesting.reject(key)}>
            −
          </Button>
        </>
      )}
    </li>
  );
}

import { useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { type Code, familyOf, findCodes, isKnownSubtype, markOf, partsOf, recentCodes, type Uses } from "@/text/codes";
import { inLanguage, useLanguage } from "@/ui/contest";
import styles from "./annotator.module.css";

export interface Picked {
  readonly code: Code;
  readonly subtype: string;
  readonly comment: string;
  readonly correction: string;
}

type Row =
  | { readonly kind: "code"; readonly code: Code; readonly subtype: string; readonly digit: number | null }
  | { readonly kind: "category"; readonly name: string; readonly count: number };

interface PickerProps {
  codes: readonly Code[];
  uses: Uses;
  typed: string;
  wholeText: boolean;
  place: { left: number; top: number } | null;
  titleOf: (category: string) => string;
  onPicked: (picked: Picked) => void;
  onClosed: () => void;
}

/** Search for a code by typing: an editable combobox with a list, as the APG describes it. */
export function Picker({ codes, uses, typed, wholeText, place, titleOf, onPicked, onClosed }: PickerProps) {
  const { t } = useLingui();
  const id = useId();
  const [query, setQuery] = useState(typed);
  const [category, setCategory] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const [unknown, setUnknown] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const { code: name, comment, correction } = partsOf(query);
  const rows = useMemo(() => rowsFor(codes, name, category, uses, wholeText), [codes, name, category, uses, wholeText]);
  const row = rows[Math.min(at, rows.length - 1)];

  useEffect(() => {
    const element = input.current;
    element?.focus({ preventScroll: true });
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row that is chosen now
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [row]);

  const look = (next: string, kind: string | null) => {
    setQuery(next);
    setCategory(kind);
    setAt(0);
    setUnknown(null);
  };
  const take = (chosen: Row | undefined, isNewAllowed: boolean) => {
    if (!chosen) return;
    if (chosen.kind === "category") look("", chosen.name);
    else if (!isNewAllowed && !isKnownSubtype(chosen.code, chosen.subtype)) setUnknown(chosen.subtype);
    else onPicked({ code: chosen.code, subtype: chosen.subtype, comment, correction });
  };
  const pressed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey } = event;
    const digit =
      query === "" && category === null && /^[1-9]$/.test(key)
        ? rows.find((row) => row.kind === "code" && row.digit === Number(key))
        : undefined;
    if (key === "ArrowDown") setAt((at + 1) % Math.max(rows.length, 1));
    else if (key === "ArrowUp") setAt((at - 1 + rows.length) % Math.max(rows.length, 1));
    else if (key === "Enter") take(row, ctrlKey || metaKey);
    else if (key === "Tab" && row?.kind === "code") look(`${row.code.code}/`, null);
    else if (key === "Escape") onClosed();
    else if (key === "ArrowRight" && row?.kind === "category") take(row, false);
    else if (key === "ArrowLeft" && category !== null && query === "") look("", null);
    else if (digit) take(digit, false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={styles.picker} style={place ?? undefined}>
      <input
        ref={input}
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={row ? `${id}-${rows.indexOf(row)}` : undefined}
        aria-label={wholeText ? t`Code for the whole text` : t`Code of the fragment`}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => look(event.target.value, category)}
        onKeyDown={pressed}
        onBlur={(event) => {
          if (!event.currentTarget.parentElement?.contains(event.relatedTarget)) onClosed();
        }}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={category === null ? t`Codes` : titleOf(category)}
        tabIndex={-1}
      >
        {rows.map((option, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the combobox's
          // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus
          <div
            key={option.kind === "code" ? `code ${option.code.code}` : `category ${option.name}`}
            id={`${id}-${place}`}
            role="option"
            aria-selected={option === row}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(option, false)}
          >
            <Option row={option} titleOf={titleOf} />
          </div>
        ))}
      </div>
      <p role="status" className={styles.hint}>
        {unknown !== null
          ? t`“${unknown}” is a new subtype. Press Ctrl+Enter to take it.`
          : rows.length === 0
            ? t`No code fits. Delete a letter, or press Esc.`
            : t`Enter takes · Tab adds a subtype · ; comment → correction · Esc closes`}
      </p>
    </div>
  );
}

function Option({ row, titleOf }: { row: Row; titleOf: (category: string) => string }) {
  const language = useLanguage();
  if (row.kind === "category") {
    return (
      <>
        <span aria-hidden="true">▸</span> {titleOf(row.name)} <small>{row.count}</small>
      </>
    );
  }
  const { code, subtype, digit } = row;
  return (
    <>
      <span className={styles.mark} data-family={familyOf(code)} aria-hidden="true">
        {markOf(code)}
      </span>
      <b>
        {code.code}
        {subtype && `/${subtype}`}
      </b>
      {digit !== null && <kbd>{digit}</kbd>}
      <small>
        {inLanguage(code.description, language) || titleOf(code.category)}
        {code.subtypes.length > 0 && ` · ${code.subtypes.join(", ")}`}
      </small>
    </>
  );
}

function rowsFor(
  codes: readonly Code[],
  query: string,
  category: string | null,
  uses: Uses,
  wholeText: boolean,
): Row[] {
  const among = category === null ? codes : codes.filter((code) => code.category === category);
  if (query.trim() !== "") {
    return findCodes(among, query, uses, wholeText).map((match) => ({ kind: "code", ...match, digit: null }));
  }
  if (category !== null) return among.map((code) => ({ kind: "code", code, subtype: "", digit: null }));
  const first = wholeText ? codes.filter((code) => code.full_text) : recentCodes(codes, uses);
  const recent: Row[] = first.map((code, place) => ({
    kind: "code",
    code,
    subtype: "",
    digit: place < 9 ? place + 1 : null,
  }));
  const categories = [...new Set(codes.map((code) => code.category))];
  const listed: Row[] = categories.map((name) => ({
    kind: "category",
    name,
    count: codes.filter((code) => code.category === name).length,
  }));
  return [...recent, ...listed];
}

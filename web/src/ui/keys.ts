import { useEffect, useRef, useSyncExternalStore } from "react";
import { listening } from "@/api/listening";

export interface KeyHelp {
  keys: string;
  does: string;
}

const SWITCH = "hurdle.keys";
const CHORD_MS = 1_500;
const sections = new Set<readonly KeyHelp[]>();
const keyChanges = listening();
let own: readonly KeyHelp[] = [];

/** Add keys of this page, or of its frame, to the list of keys while it is open. */
export function useKeyHelp(help: readonly KeyHelp[]): void {
  const text = JSON.stringify(help);
  useEffect(() => {
    const added = JSON.parse(text) as KeyHelp[];
    sections.add(added);
    tell();
    return () => {
      sections.delete(added);
      tell();
    };
  }, [text]);
}

/** True if single letters are keys; a person may switch this off (WCAG 2.1.4). */
export function lettersAreKeys(): boolean {
  return localStorage.getItem(SWITCH) !== "off";
}

export function makeLettersKeys(enabled: boolean): void {
  if (enabled) localStorage.removeItem(SWITCH);
  else localStorage.setItem(SWITCH, "off");
}

/** Handle keys of single letters: `act` receives keys pressed outside of fields and returns true if it used one. */
export function useLetters(act: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target) || !lettersAreKeys()) return;
      if (latest.current(event)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** Handle `g` and then a letter: call `go` with the place of that letter. */
export function useChords<P extends { key: string }>(places: readonly P[], go: (place: P) => void): void {
  const waitsUntil = useRef(0);
  useLetters((event) => {
    const place = event.timeStamp < waitsUntil.current ? places.find(({ key }) => key === event.code) : undefined;
    waitsUntil.current = event.code === "KeyG" ? event.timeStamp + CHORD_MS : 0;
    if (place) go(place);
    return place !== undefined;
  });
}

export function usePageKeys(): readonly KeyHelp[] {
  return useSyncExternalStore(keyChanges.on, () => own);
}

/** True if pressed keys are text for a field, so that no letter may be a key. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest("input:not([type=checkbox]), textarea, select, dialog[open]") !== null
  );
}

function tell(): void {
  own = [...sections].flat();
  keyChanges.tell();
}

/** Return the texts of an address by their names; a text of digits alone comes as a number and is returned as text. */
export function texts<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { [name in Name]?: string } {
  const entries = names.flatMap((name) => {
    const value = search[name];
    return (typeof value === "string" && value !== "") || typeof value === "number" ? [[name, String(value)]] : [];
  });
  return Object.fromEntries(entries) as { [name in Name]?: string };
}

let unsavedChanges = 0;
const unsaved = listening();

/** Register, while `when` is true, that this page has changes that the platform does not have yet. */
export function useUnsaved(when: boolean): void {
  useEffect(() => {
    if (!when) return;
    add(1);
    return () => add(-1);
  }, [when]);
}

export function useIsUnsaved(): boolean {
  return useSyncExternalStore(unsaved.on, () => unsavedChanges > 0);
}

function add(by: number): void {
  unsavedChanges += by;
  unsaved.tell();
}

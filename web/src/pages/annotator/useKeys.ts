import { type RefObject, useEffect, useRef } from "react";
import { change } from "@/text/commands";
import { type Fragment, isWholeText } from "@/text/markup";
import { nextBorder, nextCharacter } from "@/text/words";
import type { Desk, Sheet, View } from "./desk";
import type { Steps } from "./useSteps";
import type { Adopting } from "./useThird";

interface KeysOptions {
  desk: Desk;
  view: View;
  adopting: Adopting | null;
  ordered: readonly Fragment[];
  steps: Steps;
  openPicker: () => void;
  again: () => void;
  wholeText: () => void;
  outward: () => void;
  remove: () => void;
  open: (sheet: Sheet) => void;
}

/** The annotator's keys, by their place on the keyboard: the same in every layout, wherever the focus is. */
export function useKeys(root: RefObject<HTMLElement | null>, options: KeysOptions): void {
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!root.current || document.querySelector("dialog[open]")) return;
      const work = keyed(event, root.current, latest.current);
      if (!work) return;
      event.preventDefault();
      work();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [root]);
}

function keyed(event: KeyboardEvent, root: HTMLElement, options: KeysOptions): (() => void) | undefined {
  const { desk, steps } = options;
  const isOpen = desk.closed === null;
  const control = event.ctrlKey || event.metaKey;
  const name = [control && "Ctrl", event.altKey && "Alt", event.shiftKey && "Shift", event.code]
    .filter(Boolean)
    .join("+");
  const anywhere = new Map([
    ["F1", () => options.open("shortcuts")],
    ["F6", () => walk(root, 1)],
    ["Shift+F6", () => walk(root, -1)],
    ["Alt+ArrowDown", () => along(options, 1)],
    ["Alt+ArrowUp", () => along(options, -1)],
  ]);
  const working = new Map([
    ["Ctrl+KeyZ", steps.undo],
    ["Ctrl+Shift+KeyZ", steps.redo],
    ["Ctrl+KeyY", steps.redo],
    ["Ctrl+KeyS", () => void desk.saveNow()],
    ["Ctrl+Shift+Enter", () => options.open("hand-in")],
    ["Ctrl+Shift+KeyF", options.wholeText],
    ["Ctrl+KeyK", () => zone(root, "details")?.querySelector<HTMLElement>("select")?.focus()],
  ]);
  const found = anywhere.get(name) ?? (isOpen ? working.get(name) : undefined);
  return (
    found ??
    adoptingKey(event, name, options.adopting) ??
    (inText(event) ? inSurface(event, root, name, isOpen, options) : undefined)
  );
}

/** The third expert's keys, wherever no text is typed and nothing is selected. */
function adoptingKey(event: KeyboardEvent, name: string, adopting: Adopting | null): (() => void) | undefined {
  const isField = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
  if (!adopting || isField || (inText(event) && !document.getSelection()?.isCollapsed)) return undefined;
  return new Map([
    ["BracketRight", () => adopting.step(1)],
    ["BracketLeft", () => adopting.step(-1)],
    ["Digit1", () => adopting.adopt("x")],
    ["Digit2", () => adopting.adopt("y")],
    ["Shift+Digit1", () => adopting.take("x")],
    ["Shift+Digit2", () => adopting.take("y")],
    ["Digit0", adopting.adoptAgreed],
  ]).get(name);
}

function inSurface(
  event: KeyboardEvent,
  root: HTMLElement,
  name: string,
  isOpen: boolean,
  options: KeysOptions,
): (() => void) | undefined {
  const { view } = options;
  const isCollapsed = document.getSelection()?.isCollapsed ?? true;
  if (name === "Alt+Enter") return options.outward;
  if (name === "Escape" && view.active) return () => view.activate(null);
  if (event.key === "?" && isCollapsed) return () => options.open("shortcuts");
  if (!isOpen) return undefined;
  if (name === "Enter") return isCollapsed ? () => focusDetails(root) : options.openPicker;
  if (name === "Ctrl+Enter") return options.again;
  if (name === "Delete" && isCollapsed && view.active) return options.remove;
  return undefined;
}

function inText(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && (event.target.role === "textbox" || event.target.role === "document");
}

/** The fragment before or after the active one, in the text's order. */
function along({ ordered, view }: KeysOptions, by: 1 | -1): void {
  if (ordered.length === 0) return;
  const at = ordered.findIndex((each) => each.id === view.active?.id);
  const from = at < 0 && by < 0 ? 0 : at;
  const next = ordered[(from + by + ordered.length) % ordered.length];
  if (next) view.goTo(next.id);
}

const ZONES = ["text", "earlier", "list", "details", "grade"];

function zone(root: HTMLElement, name: string): HTMLElement | null {
  return root.querySelector(`[data-zone=${name}]`);
}

function walk(root: HTMLElement, by: 1 | -1): void {
  const here = ZONES.findIndex((name) => zone(root, name)?.contains(document.activeElement));
  for (let step = 1; step <= ZONES.length; step += 1) {
    const name = ZONES[(here + by * step + ZONES.length * 2) % ZONES.length] as string;
    const first = firstShown(zone(root, name), "[role=textbox], [tabindex='0'], button, input");
    if (first) {
      first.focus();
      return;
    }
  }
}

function focusDetails(root: HTMLElement): void {
  firstShown(zone(root, "details"), "input, textarea, button")?.focus();
}

/** What is hidden takes no focus: the button that puts the sheet away is a phone's alone. */
function firstShown(within: HTMLElement | null, kinds: string): HTMLElement | undefined {
  return [...(within?.querySelectorAll<HTMLElement>(kinds) ?? [])].find((each) => each.checkVisibility());
}

/** Moves an end of a fragment, by words or by characters. */
export function moveBorder(desk: Desk, of: Fragment, side: "start" | "end", by: -1 | 1, byCharacter: boolean): void {
  if (isWholeText(of)) return;
  const { start, end } = (byCharacter ? nextCharacter : nextBorder)(desk.essay.text, of, side, by);
  if (start !== of.start || end !== of.end) desk.run(change(of, { start, end }, "place", `place ${of.id} ${side}`));
}

import { i18n } from "@lingui/core";
import type { Room } from "./rooms";

export type Language = "en" | "ru";
export const LANGUAGES: readonly Language[] = ["en", "ru"];

const KEY = "hurdle.language";
const loaded = new Set<Room>();
const catalogues = import.meta.glob<{ messages: Record<string, string> }>("./*/*.po");

/** Return the language chosen on this device, or else the first of the browser's languages that the site has. */
export function preferredLanguage(): Language {
  const tags = [localStorage.getItem(KEY) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  return LANGUAGES.find((language) => language === tags.find((tag) => isLanguage(tag))) ?? "en";
}

/** Load a room's sentences in the present language; a room's routes do it before their pages. */
export async function loadRoom(room: Room, language: Language = currentLanguage()): Promise<void> {
  loaded.add(room);
  const load = catalogues[`./${room}/${language}.po`];
  if (!load) throw new Error(`no catalogue of ${room} in ${language}`);
  i18n.load(language, unbroken((await load()).messages));
}

/** Sentences in which no line begins with a per cent sign. */
function unbroken<Messages>(messages: Messages): Messages {
  return JSON.parse(JSON.stringify(messages).replaceAll(/(?<!,) %/g, "\u00a0%"));
}

export async function speak(language: Language): Promise<void> {
  await Promise.all([...loaded].map((room) => loadRoom(room, language)));
  i18n.activate(language);
  document.documentElement.lang = language;
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(KEY, language);
  await speak(language);
}

function currentLanguage(): Language {
  return isLanguage(i18n.locale) ? i18n.locale : preferredLanguage();
}

function isLanguage(text: string): text is Language {
  return text === "en" || text === "ru";
}

import type { ApiError } from "@/api/problem";
import { DRAFT } from "@/auth/session";
import type { Language } from "@/i18n/i18n";

/** An application as it is filled in. */
export interface Filled {
  team_name: string;
  team_id: string;
  person_name: string;
  contact: string;
  organization: string;
  about: string;
  accepts_rules: boolean;
}

export type FieldName = keyof Filled;

/** What is wrong with a field: one of this page's own words, or the platform's sentence. */
export type Faults = Partial<Record<FieldName, string>>;

export const FIELDS: readonly FieldName[] = [
  "team_name",
  "team_id",
  "person_name",
  "contact",
  "organization",
  "about",
  "accepts_rules",
];
export const EMPTY: Filled = {
  team_name: "",
  team_id: "",
  person_name: "",
  contact: "",
  organization: "",
  about: "",
  accepts_rules: false,
};

const KEY = `${DRAFT}application`;
const NEEDED: readonly FieldName[] = ["team_name", "team_id", "person_name", "contact"];
const FORMS: Partial<Record<FieldName, RegExp>> = {
  team_id: /^[a-z0-9][a-z0-9-]{0,39}$/,
  contact: /^[^@\s]+@[^@\s]+$/,
};

/** What can be said without asking the platform, which decides. */
export function faultsOf(filled: Filled): Faults {
  const faults: Faults = {};
  for (const name of NEEDED) {
    const value = String(filled[name]).trim();
    if (value === "") faults[name] = "missing";
    else if (FORMS[name] && !FORMS[name].test(value)) faults[name] = "form";
  }
  if (!filled.accepts_rules) faults.accepts_rules = "unaccepted";
  return faults;
}

/** What the platform refused, by field; nothing where its refusal is about no field. */
export function refusedFields(error: ApiError, language: Language): Faults {
  const faults: Faults = {};
  if (error.code === "known_team" && error.said) faults.team_id = error.said[language];
  if (error.code === "name_taken" && error.said) faults.team_name = error.said[language];
  if (error.code === "invalid_email" && error.said) faults.contact = error.said[language];
  for (const detail of error.details) {
    const field = String(detail.field ?? "")
      .split(".")
      .pop();
    const name = FIELDS.find((each) => each === field || (field === "name" && each === "team_name"));
    if (name) faults[name] = (language === "ru" && detail.message_ru) || detail.message;
  }
  return faults;
}

/** What was typed in this tab before. */
export function kept(): Filled {
  const text = sessionStorage.getItem(KEY);
  return text ? { ...EMPTY, ...(JSON.parse(text) as Partial<Filled>) } : EMPTY;
}

export function keep(filled: Filled): void {
  if (filled === EMPTY) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(filled));
}

import { get, type Schemas } from "@/api/client";
import type { ApiError } from "@/api/problem";
import { DRAFT } from "@/auth/session";
import type { Language } from "@/i18n/i18n";
import type { Cycle } from "@/ui/contest";

/** Application form before anything is filled in. */
export const EMPTY = {
  team_name: "",
  team_id: "",
  person_name: "",
  contact: "",
  organization: "",
  about: "",
  accepts_rules: false,
};
export type Filled = typeof EMPTY;
export type FieldName = keyof Filled;
export const FIELDS = Object.keys(EMPTY) as FieldName[];

/** A field's error: one of this page's own words, or the platform's sentence. */
export type Faults = Partial<Record<FieldName, string>>;

const KEY = `${DRAFT}application`;
const NEEDED: readonly FieldName[] = ["team_name", "team_id", "person_name", "contact"];
const FORMS: Partial<Record<FieldName, RegExp>> = {
  team_id: /^[a-z0-9][a-z0-9-]{0,39}$/,
  contact: /^[^@\s]+@[^@\s]+$/,
};

/** Return the faults that can be found without asking the platform, which decides. */
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

/** Return the platform's refusal by field; empty if it is about no field. */
export function refusedFields(error: ApiError, language: Language): Faults {
  const faults: Faults = {};
  if (error.code === "known_team" && error.texts) faults.team_id = error.texts[language];
  if (error.code === "name_taken" && error.texts) faults.team_name = error.texts[language];
  if (error.code === "invalid_email" && error.texts) faults.contact = error.texts[language];
  for (const detail of error.details) {
    const field = String(detail.field ?? "")
      .split(".")
      .pop();
    const name = FIELDS.find((name) => name === field || (field === "name" && name === "team_name"));
    if (name) faults[name] = (language === "ru" && detail.message_ru) || detail.message;
  }
  return faults;
}

/** Return the form as it was filled in before in this tab; empty if it was not. */
export function storedForm(): Filled {
  const text = sessionStorage.getItem(KEY);
  return text ? { ...EMPTY, ...(JSON.parse(text) as Partial<Filled>) } : EMPTY;
}

export function keep(filled: Filled): void {
  if (filled === EMPTY) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(filled));
}

export type KitStatement = Schemas["KitStatement"];

export const kitQuery = get("/v1/kit", {});

/** Return the path of a kit's file. */
export function placeOf(file: string): string {
  return `/kit/${file}`;
}

/**
 * Return the line that installs every wheel of the kit; pip checks each by its address's SHA-256. None is left out:
 * pip would ask the public index for its name. `pku doctor` prints the same line.
 */
export function installCommand(kit: Pick<KitStatement, "packages">, origin: string): string {
  return [
    "pip install",
    ...kit.packages.map(({ file, sha256 }) => `"${origin}${placeOf(file)}#sha256=${sha256}"`),
  ].join(" ");
}

/** Return the install command for a machine without a network, where a bundle was unpacked. */
export function offlineCommand(bundle: Schemas["BundleBody"]): string {
  return `pip install --no-index --find-links ${bundle.file.replace(/\.zip$/, "")} hurdle-pku`;
}

type Mode = Cycle["modes"][number];

const FILES = 30;
/** Kind of session that the kit opens by default. */
const USUAL = "algorithmic";

/** Return the options of `pku pilot` and `pku run` for a first session over the contest's training set. */
export function trainingWords(cycle: Pick<Cycle, "sets" | "modes"> | undefined): { pilot: string; run: string } {
  const [set = "train"] = Object.entries(cycle?.sets ?? {}).find(([, { kind }]) => kind === "training") ?? [];
  const alone = (cycle?.modes ?? []).filter(({ in_run: inRun, sets }) => !inRun && sets[set]);
  // Like the demonstrations: sessions that count files first, and of them the kind that takes most of the set.
  const most = ({ sets }: Mode) => sets[set]?.most ?? 0;
  const byFiles = ({ counts }: Mode) => Number(counts === "files");
  const mode = alone.toSorted((one, other) => byFiles(other) - byFiles(one) || most(other) - most(one))[0];
  const pilot = `--set ${set}${mode && mode.mode !== USUAL ? ` --mode ${mode.mode}` : ""}`;
  return { pilot, run: mode?.counts === "files" ? `${pilot} --files ${Math.min(FILES, most(mode))}` : pilot };
}

type Run = Pick<Schemas["RunBody"], "mode" | "trial" | "state" | "results_published">;

/** True if a run can have an archive: a final that counts has one some minutes after its results are out. */
export const mayHaveArchive = ({ mode, trial, state, results_published }: Run) =>
  mode === "final" && !trial && state === "finished" && results_published;

/**
 * True if a run's archive exists: the platform redirects to it, and refuses if there is none (yet).
 * Nothing of the archive itself is fetched.
 */
export async function isArchived(runId: string, ask: typeof fetch = fetch): Promise<boolean> {
  const answer = await ask(`/v1/runs/${runId}/archive`, { redirect: "manual" });
  return answer.type === "opaqueredirect" || answer.ok;
}

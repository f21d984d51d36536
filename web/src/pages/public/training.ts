import type { Cycle } from "@/ui/contest";

type Mode = Cycle["modes"][number];

const FILES = 30;
/** The kind of session that the kit opens without being told. */
const USUAL = "algorithmic";

/** What follows `pku pilot` and `pku run` for a first session over the contest's training set. */
export function trainingWords(cycle: Pick<Cycle, "sets" | "modes"> | undefined): { pilot: string; run: string } {
  const [set = "train"] = Object.entries(cycle?.sets ?? {}).find(([, { kind }]) => kind === "training") ?? [];
  const alone = (cycle?.modes ?? []).filter(({ in_run: inRun, sets }) => !inRun && sets[set]);
  // As the demonstrations do: in the kind of session that takes most of the set, of those that count files first.
  const most = ({ sets }: Mode) => sets[set]?.most ?? 0;
  const byFiles = ({ counts }: Mode) => Number(counts === "files");
  const mode = alone.toSorted((one, other) => byFiles(other) - byFiles(one) || most(other) - most(one))[0];
  const pilot = `--set ${set}${mode && mode.mode !== USUAL ? ` --mode ${mode.mode}` : ""}`;
  return { pilot, run: mode?.counts === "files" ? `${pilot} --files ${Math.min(FILES, most(mode))}` : pilot };
}

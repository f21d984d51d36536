import { expect, test } from "vitest";
import { trainingWords } from "./training";

const sets = { hidden: { kind: "test" }, lessons: { kind: "training" } } as never;

function modes(...said: [mode: string, counts: string, most: number, inRun: boolean][]) {
  const sizes = (most: number, in_run: boolean) => (in_run ? {} : { lessons: { most, usual: 1 } });
  return said.map(([mode, counts, most, in_run]) => ({ mode, counts, in_run, sets: sizes(most, in_run) })) as never;
}

test("an essay's cycle takes thirty files of its training set in the usual mode", () => {
  const cycle = { sets, modes: modes(["algorithmic", "files", 1000, false], ["final", "files", 2000, true]) };
  expect(trainingWords(cycle)).toEqual({ pilot: "--set lessons", run: "--set lessons --files 30" });
});

test("another mode is named where it takes more of a set, and no files are counted where sessions count variants", () => {
  const training = modes(["algorithmic", "files", 1, false], ["training", "files", 20, false]);
  expect(trainingWords({ sets, modes: training }).run).toBe("--set lessons --mode training --files 20");
  expect(trainingWords({ sets, modes: modes(["algorithmic", "variants", 20, false]) }).run).toBe("--set lessons");
});

test("a kind of session that counts groups takes the place of none that counts files", () => {
  const selection = modes(["training", "files", 1, false], ["estimated-training", "nosologies", 6, false]);
  expect(trainingWords({ sets, modes: selection }).run).toBe("--set lessons --mode training --files 1");
});

test("a kind of session that does not draw from the set is not named", () => {
  const other = [{ mode: "exam", counts: "files", in_run: false, sets: { hidden: { most: 9, usual: 9 } } }];
  expect(trainingWords({ sets, modes: other as never }).run).toBe("--set lessons");
});

test("before the platform has said anything the set is called as in the demonstrations", () => {
  expect(trainingWords(undefined)).toEqual({ pilot: "--set train", run: "--set train" });
});

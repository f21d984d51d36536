import { describe, expect, it, test, vi } from "vitest";
import { ApiError } from "@/api/problem";
import {
  EMPTY,
  faultsOf,
  installCommand,
  isArchived,
  mayHaveArchive,
  refusedFields,
  trainingWords,
} from "./participation";

const GOOD = { ...EMPTY, team_name: "Owls", team_id: "owls", person_name: "Olga", contact: "o@example.org" };

it("names every field that is wrong at once", () => {
  expect(faultsOf({ ...EMPTY, team_id: "Red Owls", contact: "nobody" })).toEqual({
    team_name: "missing",
    team_id: "form",
    person_name: "missing",
    contact: "form",
    accepts_rules: "unaccepted",
  });
  expect(faultsOf({ ...GOOD, accepts_rules: true })).toEqual({});
});

it("puts the platform's refusal beside the field that it is about", () => {
  const body = {
    error: {
      ...{ code: "known_team", message: "Taken.", message_ru: "Занято.", request_id: "r" },
      details: [{ code: "too_long", message: "Too long.", message_ru: "Слишком длинно.", field: "body.about" }],
    },
  };
  const error = new ApiError(409, body, new Headers());
  expect(refusedFields(error, "ru")).toEqual({ team_id: "Занято.", about: "Слишком длинно." });
  const alike = { error: { code: "name_taken", message: "Alike.", message_ru: "Похоже.", details: [] } };
  expect(refusedFields(new ApiError(409, alike, new Headers()), "en")).toEqual({ team_name: "Alike." });
  const unseen = { code: "unfit_character", message: "Unseen.", message_ru: "Не видно.", field: "name" };
  const hidden = { error: { code: "invalid_team", message: "Form.", message_ru: "Вид.", details: [unseen] } };
  expect(refusedFields(new ApiError(422, hidden, new Headers()), "en")).toEqual({ team_name: "Unseen." });
});

// The client looks for the page's address, which there is not here.
vi.mock("@/api/client", () => ({ get: () => null }));

const wheel = (name: string, digit: string) => ({
  name,
  version: "1",
  file: `${name.replaceAll("-", "_")}-1-py3-none-any.whl`,
  bytes: 1,
  sha256: digit.repeat(64),
});

test("the line names every wheel of the kit in its order, as `pku doctor` does", () => {
  const packages = [wheel("hurdle-pku", "1"), wheel("markup-core", "2"), wheel("hurdle-tracks", "3")];
  // tests/pku/test_published_kit.py holds the command's line to the same text.
  expect(installCommand({ packages }, "http://platform.example")).toBe(
    `pip install "http://platform.example/kit/hurdle_pku-1-py3-none-any.whl#sha256=${"1".repeat(64)}"` +
      ` "http://platform.example/kit/markup_core-1-py3-none-any.whl#sha256=${"2".repeat(64)}"` +
      ` "http://platform.example/kit/hurdle_tracks-1-py3-none-any.whl#sha256=${"3".repeat(64)}"`,
  );
});

const sets = { hidden: { kind: "test" }, lessons: { kind: "training" } } as never;

function modes(...lines: [mode: string, counts: string, most: number, inRun: boolean][]) {
  const sizes = (most: number, in_run: boolean) => (in_run ? {} : { lessons: { most, usual: 1 } });
  return lines.map(([mode, counts, most, in_run]) => ({ mode, counts, in_run, sets: sizes(most, in_run) })) as never;
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

const published = { mode: "final", trial: false, state: "finished", results_published: true } as const;

describe("the archive of a run", () => {
  /** Clause: R 7.14 */
  test("is looked for only of a final that counts and whose results are out", () => {
    expect(mayHaveArchive(published)).toBe(true);
    expect(mayHaveArchive({ ...published, results_published: false })).toBe(false);
    expect(mayHaveArchive({ ...published, trial: true })).toBe(false);
    expect(mayHaveArchive({ ...published, state: "stopped" })).toBe(false);
    expect(mayHaveArchive({ ...published, state: "running" })).toBe(false);
    expect(mayHaveArchive({ ...published, mode: "technical" })).toBe(false);
  });

  test("is there where the platform sends on to it, and not where it refuses", async () => {
    const requests: [unknown, unknown][] = [];
    const answering = (answer: Partial<Response>) =>
      (async (url: unknown, how: unknown) => {
        requests.push([url, how]);
        return answer;
      }) as unknown as typeof fetch;
    expect(await isArchived("r1", answering({ type: "opaqueredirect", ok: false }))).toBe(true);
    expect(await isArchived("r1", answering({ type: "basic", ok: true }))).toBe(true);
    expect(await isArchived("r1", answering({ type: "basic", ok: false, status: 409 }))).toBe(false);
    expect(await isArchived("r1", answering({ type: "basic", ok: false, status: 404 }))).toBe(false);
    expect(requests[0]).toEqual(["/v1/runs/r1/archive", { redirect: "manual" }]);
  });
});

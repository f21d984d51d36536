import { expect, test, vi } from "vitest";
import { installCommand } from "./kit";

// The client looks for the page's address, which there is not here.
vi.mock("@/api/queries", () => ({ get: () => null }));

const wheel = (name: string, digit: string) => ({
  name,
  version: "1",
  file: `${name.replaceAll("-", "_")}-1-py3-none-any.whl`,
  bytes: 1,
  sha256: digit.repeat(64),
});

test("the line names every wheel of the kit in its order, as `pku doctor` does", () => {
  const packages = [wheel("hurdle-pku", "1"), wheel("markup-core", "2"), wheel("hurdle-tracks", "3")];
  // tests/pku/checks/test_published_kit.py holds the command's line to the same text.
  expect(installCommand({ packages }, "http://platform.example")).toBe(
    `pip install "http://platform.example/kit/hurdle_pku-1-py3-none-any.whl#sha256=${"1".repeat(64)}"` +
      ` "http://platform.example/kit/markup_core-1-py3-none-any.whl#sha256=${"2".repeat(64)}"` +
      ` "http://platform.example/kit/hurdle_tracks-1-py3-none-any.whl#sha256=${"3".repeat(64)}"`,
  );
});

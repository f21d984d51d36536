import fc from "fast-check";
import { expect, it } from "vitest";
import { ownPath } from "./oauth";

it("comes back to this site's own pages alone", () => {
  expect(ownPath("/boards?by=rus#x")).toBe("/boards?by=rus#x");
  for (const foreign of ["//example.org", "https://example.org", "/\\example.org", "javascript:alert(1)", "", "\\/x"]) {
    expect(ownPath(foreign)).toBe("/");
  }
});

it("never leaves the site, whatever an address asks for", () => {
  fc.assert(
    fc.property(fc.string(), (path) => {
      expect(new URL(ownPath(path), "https://site.example").origin).toBe("https://site.example");
    }),
  );
});

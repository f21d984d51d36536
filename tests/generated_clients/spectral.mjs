// Prints what Spectral's default rules find in an OpenAPI document, a line each; nothing where they find nothing.
import { readFileSync } from "node:fs";
import spectral from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import rulesets from "@stoplight/spectral-rulesets";

const linter = new spectral.Spectral();
linter.setRuleset({ extends: [rulesets.oas] });
const document = new spectral.Document(readFileSync(process.argv[2], "utf8"), parsers.Json);
for (const found of await linter.run(document)) {
  console.log(`${found.code} at ${found.path.join(".")}: ${found.message}`);
}

import suffixes from "./exports.json";

/** Endings of zips and of every format that the platform reads; tests/docs/test_formats.py writes the list. */
export const EXPORTS = ["application/zip", ...suffixes].join(",");

import common from "./playwright.config.ts";

/** The documents' pictures are no test: `make pictures` takes them anew when the pages have changed. */
export default { ...common, testDir: "pictures" };

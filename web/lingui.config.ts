import extractor from "@lingui/cli/api/extractors/babel";
import type { ExtractorType, LinguiConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";
import { ROOMS } from "./src/i18n/rooms";

const pages = (room: string) => `src/pages/${room}`;

/** Read the sentences of files that import Lingui's macros; half of the files do not, and parsing them takes as long. */
const ofMacros: ExtractorType = {
  match: extractor.match,
  extract: async (file, code, ...rest) => {
    if (code.includes("/macro")) await extractor.extract(file, code, ...rest);
  },
};

/** A catalogue a room, so that nobody loads the sentences of pages that they do not open. */
const config: LinguiConfig = {
  locales: ["en", "ru"],
  sourceLocale: "en",
  catalogs: ROOMS.map((room) => ({
    path: `<rootDir>/src/i18n/${room}/{locale}`,
    include: room === "public" ? ["src"] : [pages(room)],
    exclude: room === "public" ? ROOMS.filter((other) => other !== "public").map((other) => `${pages(other)}/**`) : [],
  })),
  format: formatter({ lineNumbers: false, origins: false }),
  orderBy: "message",
  extractors: [ofMacros],
};

export default config;

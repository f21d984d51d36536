/** Parts of the site with catalogues of their own; `public` is also the shell's and everything shared. */
export const ROOMS = [
  "public",
  "cabinet",
  "annotator",
  "comparison",
  "desk",
  "conduct",
  "judges",
  "office",
  "coordination",
  "submissions",
] as const;

export type Room = (typeof ROOMS)[number];

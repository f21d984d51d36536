import type { BoardAnswer, Row } from "./boardData";

export type Level = BoardAnswer["board"]["levels"][number];

/** A board's rows in their order, with people's levels before the first team that is not above them. */
export function withLevels(rows: readonly Row[], levels: readonly Level[]): (Row | Level)[] {
  const found: (Row | Level)[] = [...rows];
  for (const level of levels) {
    const at = found.findIndex((each) => each.value === null || each.value <= level.value);
    found.splice(at === -1 ? found.length : at, 0, level);
  }
  return found;
}

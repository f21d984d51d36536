const PART = /^(\d{1,5})(?:\s*[-–]\s*(\d{1,5}))?$/;
const MOST = 2_000;

/** The numbers that `3, 5-7` stands for, each once and ascending; null where it is no such list. */
export function readNumbers(text: string): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(/[,;]/)) {
    const [, first, last] = PART.exec(part.trim()) ?? [];
    if (first === undefined) return null;
    const from = Number(first);
    const to = last === undefined ? from : Number(last);
    if (from < 1 || to < from || to - from >= MOST) return null;
    for (let number = from; number <= to; number += 1) found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/** Numbers as people write them: runs of three and more with a dash. */
export function sayNumbers(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    let end = at;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    const whole = sorted.slice(at, end + 1);
    parts.push(...(whole.length > 2 ? [`${whole[0]}–${whole.at(-1)}`] : whole.map(String)));
    at = end + 1;
  }
  return parts.join(", ");
}

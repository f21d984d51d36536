/** What happened to one file, as moments of the platform; null where it did not. */
export interface Happened {
  number: number;
  opens_at: string | null;
  request_by: string | null;
  handed_out_at: string | null;
  answer_by: string | null;
  answered_at: string | null;
  state: string;
}

/** The same from the file's own beginning: its opening in a run, its hand-out where nothing opens by itself. */
export interface Lane {
  number: number;
  /** In milliseconds from the beginning. */
  asked: number | null;
  answered: number | null;
  limit: number | null;
  isVoid: boolean;
}

export function laneOf(file: Happened): Lane {
  const begins = file.opens_at ?? file.handed_out_at;
  const since = (at: string | null) => (at === null || begins === null ? null : Date.parse(at) - Date.parse(begins));
  return {
    number: file.number,
    asked: since(file.handed_out_at),
    answered: since(file.answered_at),
    limit: since(file.answer_by ?? file.request_by),
    isVoid: file.state === "voided",
  };
}

/** The answer that came nearest to its limit; none where nothing was answered. */
export function nearest(lanes: readonly Lane[]): { number: number; left: number } | null {
  const answers = lanes.flatMap(({ number, answered, limit, isVoid }) =>
    answered === null || limit === null || isVoid ? [] : [{ number, left: limit - answered }],
  );
  return answers.reduce<(typeof answers)[number] | null>(
    (least, each) => (least === null || each.left < least.left ? each : least),
    null,
  );
}

/** The last moment that the axis must hold. */
export function longest(lanes: readonly Lane[]): number {
  return Math.max(1, ...lanes.flatMap(({ asked, answered, limit }) => [asked ?? 0, answered ?? 0, limit ?? 0]));
}

import { scaleLinear } from "d3-scale";
import type { Mark } from "@/ui/contest";
import { PLACES, type Unit } from "@/ui/numbers";

/**
 * The least axis that holds every value and the marked one, with round ends: nothing is cut. Of one value alone, or
 * equal ones, it has a tenth on either side, or it would have no length.
 */
export function axisOf(values: readonly number[], mark?: number) {
  const all = mark === undefined ? values : [...values, mark];
  const [from, to] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 0];
  const beside = Math.abs(from) / 10;
  const domain = from < to ? [from, to] : beside > 0 ? [from - beside, to + beside] : [0, 1];
  return scaleLinear().domain(domain).nice(5);
}

export type Axis = ReturnType<typeof axisOf>;

/** By what a column of small charts is measured. */
export interface Ruler {
  axis: Axis;
  unit: Unit;
  /** Decimals of a value that is told. */
  places: number;
  mark: Mark | null;
  /** What each row's values are called, where there are several. */
  names?: readonly string[];
}

/** Shares have the whole from 0 to 1 before them; other values the least axis that holds them all. */
export function rulerOf(
  values: readonly number[],
  unit: Unit,
  mark: Mark | null,
  { names, places = PLACES[unit] }: { names?: readonly string[] | undefined; places?: number } = {},
): Ruler {
  const axis = unit === "share" ? axisOf([0, 1, ...values], mark?.at) : axisOf(values, mark?.at);
  return { axis, unit, places, mark, ...(names && { names }) };
}

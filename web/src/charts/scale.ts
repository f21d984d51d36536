import { scaleLinear } from "d3-scale";

/** The least axis that holds every interval and the barrier, with round ends: nothing is cut. */
export function axisOf(values: readonly number[], barrier: number) {
  const all = [...values, barrier];
  return scaleLinear()
    .domain([Math.min(...all), Math.max(...all)])
    .nice(5);
}

export type Axis = ReturnType<typeof axisOf>;

/**
 * Places of a text, counted in two ways.
 *
 * The contest counts Unicode code points (markup-scoring §1), the browser UTF-16 code units. Inside the site a place is
 * always a number of code units; it is converted where a markup comes from the API and where it goes there.
 */
export class Offsets {
  /** Where the second halves of surrogate pairs stand, in code units, ascending. */
  private readonly seconds: readonly number[];
  readonly units: number;

  constructor(text: string) {
    const seconds: number[] = [];
    for (let at = 1; at < text.length; at += 1) {
      if (isSecond(text.charCodeAt(at)) && isFirst(text.charCodeAt(at - 1))) seconds.push(at);
    }
    this.seconds = seconds;
    this.units = text.length;
  }

  get codePoints(): number {
    return this.units - this.seconds.length;
  }

  /** Code points before a place; inside a surrogate pair, those before the pair. */
  toCodePoints(unit: number): number {
    return unit - this.countUpTo(unit);
  }

  /** Code units before a place that is counted in code points. */
  toUnits(codePoint: number): number {
    let low = 0;
    let high = this.seconds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // The pair whose second half this is has `second - 1 - middle` code points before it.
      if ((this.seconds[middle] as number) - 1 - middle < codePoint) low = middle + 1;
      else high = middle;
    }
    return codePoint + low;
  }

  private countUpTo(unit: number): number {
    let low = 0;
    let high = this.seconds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.seconds[middle] as number) <= unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isFirst(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isSecond(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

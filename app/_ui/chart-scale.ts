const STEPS = [1, 2, 2.5, 5, 10];

/** The lines of a chart of counts, from 0 to the first round number that is no less than `highest`; at most five. */
export function linesOf(highest: number): number[] {
  const rough = Math.max(highest, 1) / 4;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = STEPS.map((factor) => factor * magnitude).find((size) => size >= rough) ?? rough;
  // Counts are whole.
  const whole = Math.max(1, Math.ceil(step));
  return Array.from({ length: Math.ceil(Math.max(highest, 1) / whole) + 1 }, (_, line) => line * whole);
}

const spacing = (count: number, named: number): number => Math.max(1, Math.ceil(count / named));

/** Whether a column gets a label: labels are evenly spaced, and at most `named` of the `count` columns have one. */
export const isNamed = (column: number, count: number, named: number): boolean => column % spacing(count, named) === 0;

/** Whether a label is left out where only half of them fit: every second one is. */
export const isMinor = (column: number, count: number, named: number): boolean =>
  spacing(count, named / 2) > 1 && (column / spacing(count, named)) % 2 === 1;

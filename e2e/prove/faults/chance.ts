/** Reproducible random numbers: a seed gives the same sequence on every machine. */

/** The next number, from 0 (inclusive) to 1 (exclusive). */
export type Chance = () => number;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

function hash(text: string): number {
  let value = FNV_OFFSET;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), FNV_PRIME);
  return value >>> 0;
}

/** A generator for a seed, which may be any text (Mulberry32 over an FNV-1a hash). */
export function chanceOf(seed: string | number): Chance {
  let state = hash(String(seed));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`, both inclusive. */
export const between = (chance: Chance, least: number, most: number): number =>
  least + Math.floor(chance() * (most - least + 1));

/** One of the values, uniformly. */
export function oneOf<Value>(chance: Chance, values: readonly Value[]): Value {
  const value = values[Math.floor(chance() * values.length)];
  if (value === undefined) throw new Error("There is nothing to choose from.");
  return value;
}

/** One of the values, in proportion to its weight. */
export function weighed<Value>(chance: Chance, weights: readonly (readonly [weight: number, value: Value])[]): Value {
  const total = weights.reduce((sum, [weight]) => sum + weight, 0);
  let left = chance() * total;
  for (const [weight, value] of weights) {
    left -= weight;
    if (left < 0) return value;
  }
  return oneOf(chance, weights)[1];
}

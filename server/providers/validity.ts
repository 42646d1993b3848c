/** The validity period of a message, in the forms that providers use. A period outside a provider's limits is clamped to them. */
import type { Validity } from "./port";

const MINUTE_S = 60;

/** The remaining period in whole seconds, clamped to a provider's limits. */
export const secondsLeft = ({ seconds }: Validity, limits: { min: number; max: number }): number =>
  Math.min(Math.max(seconds, limits.min), limits.max);

/** The remaining period in whole minutes, at least one and at most `max`. */
export const minutesLeft = ({ seconds }: Validity, max: number): number =>
  Math.min(Math.max(Math.ceil(seconds / MINUTE_S), 1), max);

const two = (value: number): string => String(value).padStart(2, "0");

/** The remaining period as a relative time of SMPP 3.4 (7.1.1.2), at most 99 days: `000000013000000R` is 90 minutes. */
export function smppPeriod({ seconds }: Validity): string {
  const [days, rest] = [Math.min(Math.floor(seconds / 86_400), 99), seconds % 86_400];
  const [hours, minutes] = [Math.floor(rest / 3_600), Math.floor((rest % 3_600) / MINUTE_S)];
  return `0000${two(days)}${two(hours)}${two(minutes)}${two(rest % MINUTE_S)}000R`;
}

/** Names of the customers' receivers. A name says how its receiver behaves. */

/** Receives as many events as it can work on, and refuses the others (receivers.ts). */
export const BUSY_RECEIVER = "a-busy-steady";
/** Receivers by customer. The first of each customer never fails, so its endpoint must stay enabled. */
export const RECEIVERS: readonly (readonly string[])[] = [
  ["a-steady", BUSY_RECEIVER],
  ["b-steady", "b-flaky"],
  ["c-steady", "c-weak"],
  ["d-weak"],
];
/** Receivers of the customers with limits (limited.ts), one each. */
export const LIMITED_RECEIVERS = ["poor-steady", "capped-steady", "trial-steady"] as const;
/** Index of the first customer with limits. */
export const LIMITED_FROM = RECEIVERS.length;
/** Whether a receiver never fails, apart from refusals of what is too much: its endpoint must stay enabled. */
export const isSteady = (receiver: string): boolean => receiver.endsWith("-steady");
/** Whether a receiver gets the events of test mode. */
export const isTrial = (receiver: string): boolean => receiver.startsWith("trial-");
/** Receivers that faults may hit. */
export const WEAK_RECEIVERS = ["c-weak", "d-weak"] as const;

export const receiverNames = (): string[] => [...RECEIVERS.flat(), ...LIMITED_RECEIVERS];

/**
 * Counts accepted messages in memory, and adds the counts to the table every few seconds and at a stop, so that no message
 * costs a write. A crash loses the seconds in between, which alerts tolerate.
 */
import { setImmediate } from "node:timers/promises";
import { SECOND_MS } from "../core/clock";
import { isOutcomeUnknown } from "../core/errors";
import { isTestAccount } from "../core/ids";
import { errorFields, log } from "../core/log";
import { defineProcessValue, keepDoing, onShutdown } from "../core/process";
import { openCountries, PREFIX_LENGTH } from "./country";
import { addTraffic, type Traffic } from "./store";

const ADD_EVERY_MS = 15 * SECOND_MS;
/**
 * Limit of accounts and prefixes counted at once: ten seconds' worth of distinct ones at one process's highest rate, some 10
 * MB.
 */
const COUNTS_MAX = 50_000;
/** About a millisecond's worth. */
const PARSED_PER_TURN = 8;
const COUNTED_PER_TURN = 5_000;

/** `sample`: one of the numbers. */
type Count = { messages: number; sample: string };
/** By account, then by the beginning of the number. */
type Counts = Map<string, Map<string, Count>>;

type Counting = { isOn: boolean; counts: Counts; size: number; dropped: number };

const counting = defineProcessValue("traffic.counting", (): Counting => {
  return { isOn: false, counts: new Map(), size: 0, dropped: 0 };
});

const countries = defineProcessValue("traffic.countries", openCountries);

/** Starts counting in this process, and adds the last counts at a stop. */
export function openTrafficCounts(addEveryMs = ADD_EVERY_MS): void {
  counting().isOn = true;
  const stop = keepDoing(async () => {
    await addCounts();
    return addEveryMs;
  });
  onShutdown(async () => {
    await stop();
    await addCounts();
  });
}

function count(accountId: string, number: string, messages: number): void {
  const state = counting();
  let prefixes = state.counts.get(accountId);
  if (!prefixes) {
    prefixes = new Map();
    state.counts.set(accountId, prefixes);
  }
  const prefix = number.slice(0, PREFIX_LENGTH);
  const known = prefixes.get(prefix);
  if (known) known.messages += messages;
  else if (state.size >= COUNTS_MAX) state.dropped += messages;
  else {
    prefixes.set(prefix, { messages, sample: number });
    state.size += 1;
  }
}

/** Counts messages that were accepted and stored; those of test mode, and those that failed at once, are not counted. */
export function countTraffic(messages: readonly { accountId: string; toNumber: string; status: string }[]): void {
  if (!counting().isOn) return;
  for (const { accountId, toNumber, status } of messages) {
    if (status === "pending" && !isTestAccount(accountId)) count(accountId, toNumber, 1);
  }
}

/** Removes the counts from memory and returns them. */
function takeCounts(): Counting {
  const state = counting();
  const taken = { ...state };
  Object.assign(state, { counts: new Map(), size: 0, dropped: 0 } satisfies Partial<Counting>);
  return taken;
}

/** The counts by country. Yields to other work in between. */
async function byCountry(counts: Counts): Promise<Traffic[]> {
  const { known, find } = countries();
  const sums = new Map<string, Traffic>();
  let [parsed, counted] = [0, 0];
  for (const [accountId, prefixes] of counts) {
    for (const { messages, sample } of prefixes.values()) {
      let country = known(sample);
      if (country === undefined) {
        country = find(sample);
        parsed += 1;
        if (parsed % PARSED_PER_TURN === 0) await setImmediate();
      }
      counted += 1;
      if (counted % COUNTED_PER_TURN === 0) await setImmediate();
      const key = `${accountId} ${country}`;
      const sum = sums.get(key);
      if (sum) sum.messages += messages;
      else sums.set(key, { accountId, country, messages });
    }
  }
  return [...sums.values()];
}

/**
 * Adds the counts to the table. Counts that were certainly not added are kept for the next time; uncertain ones are dropped,
 * because too few are better than twice as many.
 */
export async function addCounts(): Promise<void> {
  const { counts, size, dropped } = takeCounts();
  if (dropped > 0) log("warn", "traffic.not_counted", { messages: dropped });
  if (size === 0) return;
  try {
    await addTraffic(await byCountry(counts));
  } catch (thrown) {
    log("warn", "traffic.not_added", errorFields(thrown));
    if (isOutcomeUnknown(thrown)) return;
    for (const [accountId, prefixes] of counts) {
      for (const { messages, sample } of prefixes.values()) count(accountId, sample, messages);
    }
  }
}

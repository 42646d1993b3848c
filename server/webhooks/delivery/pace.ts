/**
 * Paces requests to overloaded endpoints, so that a burst of events neither overwhelms a server that takes only so many requests nor
 * has it disabled. An endpoint is paced from the first overload ({@link isOverloaded}); all others get requests as fast as they
 * respond.
 *
 * Each worker finds the rate by itself, in memory, as TCP finds the rate of a connection (RFC 5681, slow start and congestion
 * avoidance): an overload halves it and begins a pause; acknowledged requests raise it, at first to the double within a second, and
 * slowly once a rate was too high.
 */
import { defineProcessValue } from "../../core/process";
import { isOverloaded } from "./retry";

export type Pace = {
  /** Milliseconds until the next request to the endpoint may begin; 0: it may begin now. */
  waitMs: (endpointId: string, nowMs: number) => number;
  /** Whether the endpoint is sent fewer requests than it could be. */
  isPaced: (endpointId: string) => boolean;
  /** Counts a request that begins. */
  begin: (endpointId: string, nowMs: number) => void;
  /** Takes in how a request ended. @returns whether the endpoint is overloaded. */
  note: (endpointId: string, ended: Ended, nowMs: number) => boolean;
};

/**
 * `statusCode`: null without a response; `ofProxy`: the egress proxy failed; `beganMs`: when the request began; `acknowledgedMs`: when
 * the endpoint last acknowledged one, as far as the caller knows.
 */
type Ended = {
  acknowledged: boolean;
  statusCode: number | null;
  retryAfterS: number | null;
  ofProxy?: unknown;
  beganMs: number;
  acknowledgedMs: number;
};

/**
 * `ceiling`: the rate from which it is raised slowly; `nextMs`: when the next request may begin; `slowedMs`: when the rate was last
 * reduced; `pauseMs`: how long the last pause was, 0 after a success; `acknowledgedMs`, `usedMs`: when a request was last acknowledged,
 * and last began.
 */
type Paced = {
  perSecond: number;
  ceiling: number;
  nextMs: number;
  slowedMs: number;
  pauseMs: number;
  acknowledgedMs: number;
  usedMs: number;
};

const FIRST_PER_SECOND = 8;
const LEAST_PER_SECOND = 1;
/** An endpoint that takes as many is no longer paced. */
const UNPACED_PER_SECOND = 2_000;
/** Slow growth within a second: by a tenth of a request, and by a twentieth of the rate. */
const GROWTH_PER_SECOND = { requests: 0.1, share: 0.05 };
const FIRST_PAUSE_MS = 1_000;
/** Of an endpoint that names no time. A job waits as long without giving up its slot. */
const LONGEST_PAUSE_MS = 15_000;
/** Of an endpoint that names a longer one. The refused events themselves may wait longer (retry.ts). */
const LONGEST_ASKED_PAUSE_MS = 60_000;
/** An endpoint without a response within this time after an acknowledged request is overloaded, and not down. */
const JUST_MS = 10_000;
/** The pace of an endpoint without requests is forgotten. */
const FORGOTTEN_AFTER_MS = 600_000;

/** Without an acknowledged request since, another overload shows only that the last one is not over. */
function ceilingAfter(former: Paced | undefined, perSecond: number): number {
  if (!former) return UNPACED_PER_SECOND;
  return former.pauseMs > 0 ? former.ceiling : perSecond;
}

export function createPace(): Pace {
  const paced = new Map<string, Paced>();

  function forgetUnused(nowMs: number): void {
    for (const [id, { usedMs, nextMs }] of paced) {
      if (nowMs - Math.max(usedMs, nextMs) > FORGOTTEN_AFTER_MS) paced.delete(id);
    }
  }

  function slowDown(endpointId: string, { retryAfterS, beganMs, acknowledgedMs }: Ended, nowMs: number): void {
    const former = paced.get(endpointId);
    const askedMs = Math.min((retryAfterS ?? 0) * 1_000, LONGEST_ASKED_PAUSE_MS);
    // It was under way when the rate was reduced, so it says nothing about the new rate.
    if (former && beganMs < former.slowedMs) {
      former.nextMs = Math.max(former.nextMs, nowMs + askedMs);
      return;
    }
    forgetUnused(nowMs);
    const perSecond = former ? Math.max(former.perSecond / 2, LEAST_PER_SECOND) : FIRST_PER_SECOND;
    const pauseMs = Math.min(Math.max(2 * (former?.pauseMs ?? 0), FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    paced.set(endpointId, {
      perSecond,
      ceiling: ceilingAfter(former, perSecond),
      nextMs: nowMs + Math.max(pauseMs, askedMs),
      slowedMs: nowMs,
      pauseMs,
      acknowledgedMs: former?.acknowledgedMs ?? acknowledgedMs,
      usedMs: nowMs,
    });
  }

  function speedUp(endpointId: string, state: Paced): void {
    const { requests, share } = GROWTH_PER_SECOND;
    state.perSecond += state.perSecond < state.ceiling ? 1 : requests / state.perSecond + share;
    state.pauseMs = 0;
    if (state.perSecond >= UNPACED_PER_SECOND) paced.delete(endpointId);
  }

  return {
    waitMs: (endpointId, nowMs) => {
      const state = paced.get(endpointId);
      return state ? Math.max(0, state.nextMs - nowMs) : 0;
    },
    isPaced: (endpointId) => paced.has(endpointId),
    begin: (endpointId, nowMs) => {
      const state = paced.get(endpointId);
      if (!state) return;
      state.nextMs = nowMs + 1_000 / state.perSecond;
      state.usedMs = nowMs;
    },
    note: (endpointId, ended, nowMs) => {
      const state = paced.get(endpointId);
      if (ended.acknowledged) {
        // A request from before the overload says nothing about the rate since.
        if (state && ended.beganMs >= state.slowedMs) speedUp(endpointId, state);
        if (state) state.acknowledgedMs = nowMs;
        return false;
      }
      const acknowledgedMs = Math.max(ended.acknowledgedMs, state?.acknowledgedMs ?? Number.NEGATIVE_INFINITY);
      const hasJustAcknowledged = acknowledgedMs >= ended.beganMs || nowMs - acknowledgedMs < JUST_MS;
      if (ended.ofProxy || !isOverloaded(ended, hasJustAcknowledged)) return false;
      slowDown(endpointId, ended, nowMs);
      return true;
    },
  };
}

/** The pace of this process's requests. */
export const pace = defineProcessValue("webhooks.pace", createPace);

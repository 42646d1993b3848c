import { sessionHasEnded } from "../auth/sessions/ended";
import { isSessionOpen } from "../auth/sessions/sessions";
import type { SessionActor } from "../core/actor";
import { overloaded, rateLimited } from "../core/errors";
import { LIVE_TOPICS, type LiveTopic } from "../core/live";
import { defineProcessValue, onShutdown } from "../core/process";
import { countWatchers, watch } from "./listener";
import type { Changed } from "./schema";

/** The most pages that may follow changes through this process, in total and per account. The others poll. */
const WATCHERS_MAX = 500;
const WATCHERS_OF_ACCOUNT_MAX = 20;

/** Shortest time between two notices to a page, in milliseconds. */
const NOTICE_EVERY_MS = 1_000;
/** When a session has ended, or its person was removed, its pages stop following changes within this many milliseconds. */
const SESSION_CHECKED_EVERY_MS = 10_000;

/** Ends everything that is followed when the process stops; otherwise it would wait for pages to leave. */
const stop = defineProcessValue("live.stop", () => {
  const controller = new AbortController();
  onShutdown(async () => controller.abort());
  return controller.signal;
});

type Wakeup = {
  /** Waits until one of the signals is aborted, it is woken, or the time is over. */
  wait: (ms: number) => Promise<void>;
  /** Ends the wait under way, if there is one. */
  wake: () => void;
};

function createWakeup(signals: readonly AbortSignal[]): Wakeup {
  let endWait: () => void = () => undefined;
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener("abort", settle);
        endWait = () => undefined;
        resolve();
      };
      const timer = setTimeout(settle, ms);
      timer.unref();
      endWait = settle;
      for (const signal of signals) {
        signal.addEventListener("abort", settle);
        if (signal.aborted) settle();
      }
    });
  return { wait, wake: () => endWait() };
}

/**
 * Yields what changes in the person's account, first that anything may have changed, until the page leaves or the session or the
 * person's membership ends.
 * @throws 401 once one of these has ended; 429 and 503 when too many follow.
 */
export async function* watchChanges(actor: SessionActor, leaving?: AbortSignal): AsyncGenerator<Changed, void> {
  const { ofAccount, all } = countWatchers(actor.accountId);
  if (all >= WATCHERS_MAX) throw overloaded();
  if (ofAccount >= WATCHERS_OF_ACCOUNT_MAX) {
    throw rateLimited("Too many pages of this account are open.", { reason: "too_many_live", retryAfterS: 60 });
  }
  const signals = [stop(), ...(leaving ? [leaving] : [])];
  const isOver = () => signals.some((signal) => signal.aborted);
  const changed = new Set<LiveTopic>(LIVE_TOPICS);
  const { wait, wake } = createWakeup(signals);
  const unwatch = watch(actor.accountId, (topics) => {
    for (const topic of topics) changed.add(topic);
    wake();
  });
  try {
    let noticeAt = Number.NEGATIVE_INFINITY;
    let checkedAt = performance.now();
    while (!isOver()) {
      const at = performance.now();
      if (at - checkedAt >= SESSION_CHECKED_EVERY_MS) {
        if (!(await isSessionOpen(actor))) throw sessionHasEnded();
        checkedAt = at;
      }
      if (changed.size > 0 && at - noticeAt >= NOTICE_EVERY_MS) {
        const topics = [...changed];
        changed.clear();
        noticeAt = at;
        yield { topics };
        continue;
      }
      const untilCheck = SESSION_CHECKED_EVERY_MS - (at - checkedAt);
      const untilNotice = changed.size > 0 ? NOTICE_EVERY_MS - (at - noticeAt) : untilCheck;
      await wait(Math.max(1, Math.min(untilCheck, untilNotice)));
    }
  } finally {
    unwatch();
  }
}

/** Time until the service works again after a killed worker and after a database restart. */
import type { Happened } from "../faults/faults";
import type { Life } from "../world/fleet";
import { groupBy } from "./grouped";
import { type AttemptStep, type History, QUEUES, type Queue } from "./history";

/** Messages claimed by a killed worker, and their recovery in ms after its death; `waited`: ended only by their age. */
export type KillRecovery = { process: string; claimed: number; movedOnMs: number[]; waited: number };

/** First work of each queue after the database was back, by process. Milliseconds; null: never. */
export type ReturnRecovery = { mode: string; first: { process: string; queue: Queue; afterMs: number | null }[] };

/** A process that lived shorter than this need not have worked. */
const WORKS_WITHIN_MS = 5_000;

const isEnding = (step: AttemptStep): boolean => step.op === "DELETE" || step.outcome !== null;

/** Open attempts of a process when it died. */
function openAttempts(steps: readonly AttemptStep[], { process, untilMs }: Life): AttemptStep[] {
  const before = steps.filter((step) => step.atMs < (untilMs ?? 0));
  const ended = new Set(before.filter(isEnding).map(({ messageId, seq }) => `${messageId} ${seq}`));
  return before.filter(
    (step) => step.op === "INSERT" && step.process === process && !ended.has(`${step.messageId} ${step.seq}`),
  );
}

/** @param agedFromMs when time was advanced; later changes were caused by that. */
export function afterKills(lives: readonly Life[], { attempts, moves }: History, agedFromMs: number): KillRecovery[] {
  const stepsOf = groupBy(attempts, ({ messageId }) => messageId);
  const movesOf = groupBy(moves, ({ messageId }) => messageId);
  const killed = lives.filter(({ name, end }) => end === "killed" && name.startsWith("worker"));
  return killed.map((life) => {
    const diedAtMs = life.untilMs ?? 0;
    const open = openAttempts(attempts, life);
    const movedOnMs = open.flatMap(({ messageId, seq }) => {
      const next = [
        ...(stepsOf.get(messageId) ?? []).filter((step) => isEnding(step) || step.seq > seq),
        ...(movesOf.get(messageId) ?? []),
      ].filter(({ atMs }) => atMs > diedAtMs && atMs < agedFromMs);
      return next.length > 0 ? [Math.min(...next.map(({ atMs }) => atMs)) - diedAtMs] : [];
    });
    return { process: life.process, claimed: open.length, movedOnMs, waited: open.length - movedOnMs.length };
  });
}

/** @param untilMs the end of the load; afterwards there may be no work. */
export function afterReturns(
  happened: readonly Happened[],
  lives: readonly Life[],
  { work }: History,
  untilMs: number,
): ReturnRecovery[] {
  return happened.flatMap(({ fault, untilMs: backAtMs }) => {
    if (fault.kind !== "restart" && fault.kind !== "failover") return [];
    const workers = lives.filter(
      (life) =>
        life.name.startsWith("worker") &&
        life.fromMs < backAtMs &&
        Math.min(life.signaledMs ?? untilMs, life.untilMs ?? untilMs, untilMs) > backAtMs + WORKS_WITHIN_MS,
    );
    const first = workers.flatMap(({ process }) =>
      QUEUES.map((queue) => {
        const found = work.find((each) => each.process === process && each.queue === queue && each.atMs >= backAtMs);
        return { process, queue, afterMs: found ? found.atMs - backAtMs : null };
      }),
    );
    return [{ mode: fault.kind === "failover" ? "failover" : `${fault.mode} restart`, first }];
  });
}

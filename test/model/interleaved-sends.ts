/**
 * One account's messages and a few workers that process them in any order, die, stall and lose replies, all
 * through the service's own functions on a real database. The providers are simulated: `calls` lists what they saw.
 */
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool } from "@/server/core/db";
import type { ReceiptReport } from "@/server/core/jobs";
import { sendMessage } from "@/server/messages/accept/send";
import type { cancelMessage } from "@/server/messages/changes/cancel";
import type { redactMessage } from "@/server/messages/changes/redact";
import { type AttemptResult, attemptResult } from "@/server/messages/dispatch/attempt-result";
import { type Attempt, begin, dropClaims, giveBack, isAllowedFreshly } from "@/server/messages/dispatch/claims";
import { failExpired } from "@/server/messages/dispatch/expire";
import { joinLeftReceipts } from "@/server/messages/dispatch/join-left-receipts";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { giveBackUnheard, recoverAttempts } from "@/server/messages/dispatch/recover";
import { settleAttempts } from "@/server/messages/dispatch/run-attempt";
import { applyLeftReceipts, failStranded, failUnresolved, requeueOrphans } from "@/server/messages/dispatch/sweeps";
import { claimFromThrottleQueue, drainThrottleQueue } from "@/server/messages/dispatch/throttle-queue";
import { applyReceipts, rejoinReceipts } from "@/server/messages/receipts/apply-receipts";
import { isPartReporter } from "@/server/messages/receipts/parts";
import type { SendOutcome } from "@/server/providers/port";
import { referenceTo } from "@/server/providers/reference";
import { invalidateProviders } from "@/server/providers/registry";
import { createEndpoint } from "@/server/webhooks/service";
import { claimAttempts, report } from "../database/attempts";
import { makeAccount, type TestAccount } from "../database/seed";
import { asWorker, type SimulatedWorker, startWorker } from "../database/simulated-workers";
import { type Call, SeenMessages } from "./seen-messages";

/** Makes every row old enough for a sweep; ages of sweeps are in milliseconds. */
const ANY_AGE = -60_000;
const WORKERS = 3;
const PRICE_MICROS = 10_000n;

type Hand = { worker: SimulatedWorker; attempt: Attempt; isBegun: boolean };
type Answered = { worker: SimulatedWorker; ending: AttemptResult };
type Status = ReceiptReport["status"];

const take = <Item>(items: Item[], at: number): Item | null =>
  items.splice(at % Math.max(items.length, 1), 1)[0] ?? null;
const among = <Item>(items: readonly Item[], at: number): Item | null => items[at % Math.max(items.length, 1)] ?? null;

export class InterleavedSends {
  private readonly workers = Array.from({ length: WORKERS }, startWorker);
  private readonly dead: SimulatedWorker[] = [];
  private readonly hands: Hand[] = [];
  private readonly answered: Answered[] = [];
  /** Outcomes whose reply to COMMIT was lost: their workers record them again. */
  private readonly unheard: Answered[] = [];
  private readonly recorded: Answered[] = [];
  private readonly givenBack: Hand[] = [];
  readonly calls: Call[] = [];
  /** Ids returned for each Idempotency-Key, and for requests without one. */
  readonly answers = new Map<string, Set<string>>();
  /** Claims with a recorded outcome `unknown`. */
  readonly unknown = new Set<string>();
  private readonly seen = new SeenMessages();
  /** Defects that the database does not show. */
  readonly wrong = this.seen.wrong;
  private sent = 0;

  private constructor(readonly account: TestAccount) {}

  /** An account with money for a few messages, and two endpoints. */
  static async open(): Promise<InterleavedSends> {
    const account = await makeAccount({ balanceMicros: 5n * PRICE_MICROS + 5_000n });
    await createEndpoint(account.actor, { url: "http://127.0.0.1:9/all" });
    await createEndpoint(account.actor, { url: "http://127.0.0.1:9/sent", events: ["message.sent"] });
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    return new InterleavedSends(account);
  }

  private worker = (at: number): SimulatedWorker => this.workers[at % WORKERS] as SimulatedWorker;

  /** The id of an accepted message; null while there is none. */
  private message = (at: number): string | null =>
    among(
      [...this.answers.values()].flatMap((ids) => [...ids]),
      at,
    );

  /** A request, perhaps repeated under its key, to be refused when there is no money. */
  async send(at: number, key: string | null): Promise<void> {
    this.sent += 1;
    const name = key ?? `request ${this.sent}`;
    // The routes let every second message begin its chain at the other provider.
    const to = key === null ? `+1${this.sent % 2 === 0 ? "415" : "212"}5550${100 + (this.sent % 100)}` : "+14155550100";
    const body = `Message ${name}${this.sent % 2 === 0 ? ` ${"x".repeat(160)}` : ""}`;
    const input = { to, from: this.account.senderId, body };
    const idempotency = key === null ? null : { key, requestHash: key };
    const request = { ...plainRequest(), idempotency: () => idempotency };
    try {
      const { id } = await asWorker(this.worker(at), () => sendMessage(this.account.actor, input, request));
      this.answers.set(name, (this.answers.get(name) ?? new Set()).add(id));
    } catch (thrown) {
      if (!/balance/.test(String(thrown))) throw thrown;
    }
  }

  /** Runs a dispatch job, which leaves the queue only if `isDone`. */
  async dispatch(at: number, job: number, isDone: boolean, isHeard: boolean): Promise<void> {
    const { rows } = await pool().query<{ id: string; ids: string[] }>(
      `SELECT j.id::text, j.payload -> 'messageIds' AS ids FROM graphile_worker._private_jobs j
       JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = 'dispatch_messages' ORDER BY j.id`,
    );
    const chosen = among(rows, job);
    if (!chosen) return;
    await this.claimAs(this.worker(at), isHeard, () => claimAttempts(chosen.ids));
    if (isDone) await pool().query("DELETE FROM graphile_worker._private_jobs WHERE id = $1", [chosen.id]);
  }

  /** Cancels a message or deletes its text, which the service may refuse. */
  async ask(at: number, by: number, operation: typeof cancelMessage | typeof redactMessage): Promise<void> {
    const id = this.message(at);
    if (!id) return;
    try {
      await asWorker(this.worker(by), () => operation(this.account.actor, id));
    } catch (thrown) {
      if (!/can no longer be canceled|only a pending one|can be deleted once/.test(String(thrown))) throw thrown;
    }
  }

  /** Ends the validity period of a message; the sweep may come before any dispatch. */
  async expire(at: number, by: number, isSwept: boolean): Promise<void> {
    const id = this.message(at);
    if (!id) return;
    await pool().query("UPDATE messages SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    if (isSwept) await asWorker(this.worker(by), () => failExpired(0));
  }

  /** Serves the throttle queue of a provider, or empties it when the provider is drained. */
  async serve(at: number, provider: string, begins: boolean, isHeard: boolean): Promise<void> {
    const { rowCount } = await pool().query("SELECT 1 FROM providers WHERE id = $1 AND is_drained", [provider]);
    if (rowCount) await asWorker(this.worker(at), () => drainThrottleQueue(provider, 100));
    else await this.claimAs(this.worker(at), isHeard, () => claimFromThrottleQueue(provider, 100, { begins }));
  }

  private async claimAs(worker: SimulatedWorker, isHeard: boolean, claim: () => Promise<Attempt[]>): Promise<void> {
    await asWorker(worker, async () => {
      const refused = this.seen.refused();
      const attempts = await claim();
      for (const { slot, message } of attempts) {
        slot?.release();
        if (refused.has(message.id)) this.wrong.push(`${message.id} was claimed after it was refused for good`);
      }
      if (isHeard) this.hold(worker, attempts);
      else dropClaims(attempts);
    });
  }

  private hold(worker: SimulatedWorker, attempts: readonly Attempt[]): void {
    this.hands.push(...attempts.map((attempt) => ({ worker, attempt, isBegun: isAllowedFreshly(attempt.begunAtMs) })));
  }

  /** Begins an attempt; `isTwice`: the first reply is lost. */
  async begin(at: number, isTwice: boolean): Promise<void> {
    const hand = take(this.hands, at);
    if (!hand) return;
    await asWorker(hand.worker, async () => {
      if (isTwice) await begin(hand.attempt);
      if (await begin(hand.attempt)) this.hands.push({ ...hand, isBegun: true });
      else dropClaims([hand.attempt]);
    });
  }

  /** Calls the provider of a begun attempt. `isTaken`: whether it takes the message without our hearing of it. */
  call(at: number, outcome: SendOutcome, isTaken: boolean): void {
    const hand = take(
      this.hands.filter((each) => each.isBegun),
      at,
    );
    if (!hand) return;
    this.hands.splice(this.hands.indexOf(hand), 1);
    const { message, seq, provider, claim } = hand.attempt;
    if (message.body === "") this.wrong.push(`${provider} was given ${message.id} without its text`);
    // Vonage reports on each part of a long message.
    const parts = isPartReporter(provider) && message.segments > 1 ? ["a", "b"] : ["a"];
    const providerMessageIds = parts.map((part) => `${message.id}-${seq}${part}`);
    const isReallyTaken = outcome.kind === "accepted" || (outcome.kind === "unknown" && isTaken);
    const known: SendOutcome = outcome.kind === "accepted" ? { ...outcome, providerMessageIds } : outcome;
    const delivered = new Set<string>();
    this.calls.push({
      ...{ messageId: message.id, seq, provider, claim, isTaken: isReallyTaken, outcome },
      ...{ providerMessageIds, delivered },
    });
    this.answered.push({ worker: hand.worker, ending: attemptResult(hand.attempt, known, 1) });
  }

  /** Records an outcome. @param isHeard whether the reply to COMMIT arrives; if not, it is recorded again some time. */
  async record(at: number, isHeard: boolean): Promise<void> {
    const [from, to] = [this.answered, isHeard ? this.recorded : this.unheard];
    await this.recordOne(take(from, at), to, isHeard);
  }

  async recordAgain(at: number, isHeard: boolean): Promise<void> {
    await this.recordOne(take(this.unheard, at), isHeard ? this.recorded : this.unheard, isHeard);
  }

  /** Another worker records the same outcome of an attempt, without knowing that it was recorded. */
  async recordAnew(at: number): Promise<void> {
    const former = among(this.recorded, at);
    if (!former) return;
    const { attempt, outcome } = former.ending;
    await this.recordOne({ ...former, ending: attemptResult(attempt, outcome, 1) }, this.recorded, true);
  }

  private async recordOne(answered: Answered | null, to: Answered[], isHeard: boolean): Promise<void> {
    if (!answered) return;
    const { worker, ending } = answered;
    const { attempt, outcome } = ending;
    if (outcome.kind === "unknown") this.unknown.add(attempt.claim);
    const next = await asWorker(worker, () => recordOutcome(ending));
    if (outcome.kind === "accepted") this.seen.prove(attempt.message.id);
    if (outcome.kind === "refused") this.seen.refuse(attempt.message.id);
    to.push(answered);
    if (!isHeard) return;
    if (next) this.hold(worker, [next]);
    await asWorker(worker, async () => dropClaims([attempt]));
  }

  async giveBack(at: number): Promise<void> {
    const hand = take(this.hands, at);
    if (!hand) return;
    this.givenBack.push(hand);
    await asWorker(hand.worker, () => giveBack([hand.attempt]));
    await asWorker(hand.worker, async () => dropClaims([hand.attempt]));
  }

  async giveBackAgain(at: number): Promise<void> {
    const hand = among(this.givenBack, at);
    if (hand) await asWorker(hand.worker, () => giveBack([hand.attempt]));
  }

  /** A worker is killed: its memory is lost, and another process starts. */
  die(at: number): void {
    const worker = this.worker(at);
    this.workers[at % WORKERS] = startWorker();
    this.dead.push(worker);
    for (const memory of [this.hands, this.answered, this.unheard]) {
      for (const one of memory.splice(0)) if (one.worker !== worker) (memory as unknown[]).push(one);
    }
  }

  /** Takes over the work of all dead workers, and of one that only stalls. */
  async takeOver(at: number, stalled: number | null): Promise<void> {
    const by = this.worker(at);
    const other = stalled === null ? null : this.worker(stalled);
    const ids = [...this.dead, ...(other && other !== by ? [other] : [])].map((worker) => worker.id);
    const { rows } = await pool().query<{ claim: string }>(
      "SELECT claim FROM message_attempts WHERE outcome IS NULL AND begun_at IS NOT NULL AND worker_id = ANY($1::text[])",
      [ids],
    );
    for (const { claim } of rows) this.unknown.add(claim);
    await asWorker(by, async () => {
      await recoverAttempts(ids);
      await settleAttempts();
    });
  }

  /** Gives back claims whose acknowledgement was lost, as if they were old enough. */
  async giveBackUnheard(at: number): Promise<void> {
    const worker = this.worker(at);
    await pool().query(
      `UPDATE message_attempts SET started_at = started_at - interval '1 minute', begun_at = begun_at - interval '1 minute'
       WHERE outcome IS NULL AND worker_id = $1`,
      [worker.id],
    );
    await asWorker(worker, giveBackUnheard);
  }

  /** A receipt of a call, named by our reference or by the provider's id alone, which may come before the response. */
  async receipt(at: number, status: Status, isNamed: boolean, by: number): Promise<void> {
    const call = among(this.calls, at);
    // A carrier that did not take the message can at most report its failure.
    if (!call || (!call.isTaken && (call.outcome.kind !== "unknown" || status !== "failed"))) return;
    const { messageId, seq, provider, providerMessageIds } = call;
    const reference = isNamed ? referenceTo(messageId, seq) : null;
    const id = among(providerMessageIds, at + by) ?? "";
    if (status === "delivered") call.delivered.add(id);
    await asWorker(this.worker(by), () => applyReceipts(provider, [report(id, status, reference)]));
    if (isNamed) this.seen.prove(messageId);
  }

  /** Joins receipts that were parked. */
  async join(provider: string, by: number): Promise<void> {
    const ids = this.calls
      .filter((call) => call.provider === provider)
      .flatMap(({ providerMessageIds }) => providerMessageIds);
    await asWorker(this.worker(by), () => rejoinReceipts(provider, ids));
  }

  /** The sweeps find everything old: no worker makes an attempt that it began so long ago, or still holds an outcome. */
  async sweep(by: number): Promise<void> {
    for (const hand of this.hands) hand.isBegun = false;
    for (const { worker, ending } of [...this.answered.splice(0), ...this.unheard.splice(0)]) {
      await asWorker(worker, async () => dropClaims([{ claim: ending.nextClaim }]));
    }
    await asWorker(this.worker(by), async () => {
      await joinLeftReceipts(60_000);
      for (const look of [failUnresolved, failStranded, applyLeftReceipts, requeueOrphans]) await look(ANY_AGE);
    });
  }

  /** Drains a provider, or lets it take messages again. */
  async drain(provider: string): Promise<void> {
    await pool().query(
      `INSERT INTO providers (id, is_drained) VALUES ($1, true)
       ON CONFLICT (id) DO UPDATE SET is_drained = NOT providers.is_drained`,
      [provider],
    );
    invalidateProviders();
  }

  /** Compares every message with what was seen of it before. */
  look(): Promise<void> {
    return this.seen.look(this.account.accountId, this.answers, this.calls);
  }

  /** All workers continue without faults and get the same outcome from every provider. @returns what is pending even then. */
  async settle(outcome: SendOutcome, rounds: number): Promise<string[]> {
    await pool().query("UPDATE providers SET is_drained = false");
    invalidateProviders();
    for (let round = 0; round < rounds && this.seen.pending().length > 0; round += 1) {
      await this.takeOver(0, null);
      for (const at of this.workers.keys()) await this.giveBackUnheard(at);
      for (let left = this.hands.length; left > 0; left -= 1) await this.begin(0, false);
      for (let left = this.hands.length; left > 0; left -= 1) this.call(0, outcome, true);
      // Claims are given back again, as if the replies had been lost; the running attempts are different ones.
      for (const at of this.givenBack.keys()) await this.giveBackAgain(at);
      while (this.answered.length > 0) await this.record(0, true);
      while (this.unheard.length > 0) await this.recordAgain(0, true);
      for (const provider of ["vonage", "twilio"]) await this.serve(round, provider, true, true);
      const { rowCount } = await pool().query(
        "SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'dispatch_messages'",
      );
      for (let left = rowCount ?? 0; left > 0; left -= 1) await this.dispatch(round, 0, true, true);
      await this.look();
      if (this.hands.length === 0 && !rowCount) await this.sweep(round);
    }
    return this.seen.describePending();
  }
}

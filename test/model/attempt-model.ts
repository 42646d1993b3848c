/**
 * A model of one message on its way through several workers: a store of attempts in memory, with the same conditions as
 * the SQL of claims.ts, dispatch.ts, recover.ts and sweeps.ts, around the real rules (`decideNext`, `nextProvider`,
 * `foldSteps`, `stepsOf`). The carriers are honest: their responses and receipts follow from whether they took the message.
 */
import type { ReceiptReport } from "@/server/core/jobs";
import type { Attempt, Candidate } from "@/server/messages/dispatch/claims";
import { decideNext, type StoredAttempt } from "@/server/messages/dispatch/decide-next";
import { attemptOf } from "@/server/messages/dispatch/next-attempt";
import { nextProvider } from "@/server/messages/dispatch/next-provider";
import { stepsOf } from "@/server/messages/receipts/receipt-steps";
import type { MessageStatus } from "@/server/messages/status";
import type { LockedMessage, Step } from "@/server/messages/steps";
import { foldSteps } from "@/server/messages/steps";
import type { SendOutcome } from "@/server/providers/port";

export type Policy = "fallback" | "hold";

/** `worker`: the worker that claimed it. */
type Row = Omit<StoredAttempt, "throttledForMs"> & { worker: number; isBegun: boolean; startedAt: Date };
/** A claim in the memory of the worker that will make, or has made, the attempt. */
type Hand = { attempt: Attempt; worker: number; isBegun: boolean };
type AttemptResult = { attempt: Attempt; outcome: SendOutcome; nextClaim: string; worker: number };
/** A request written to a provider, which may have taken the message whatever its response. */
export type Call = { seq: number; provider: string; claim: string; isTaken: boolean; outcome: SendOutcome };

const MINUTE_MS = 60_000;
const isOpen = ({ outcome }: Row): boolean => outcome === null || outcome === "unknown";
const isTakenBy = (outcome: SendOutcome, isTakenUnheard: boolean): boolean =>
  outcome.kind === "accepted" || (outcome.kind === "unknown" && isTakenUnheard);
const WORKER_LOST: SendOutcome = { kind: "unknown", code: "worker_lost", detail: "Lost." };

export class AttemptModel {
  message: LockedMessage;
  rows: Row[] = [];
  hands: Hand[] = [];
  calls: Call[] = [];
  /** Outcomes that their workers have yet to record. */
  unrecorded: AttemptResult[] = [];
  /** Outcomes whose COMMIT reply was lost: their workers record them again. */
  unheard: AttemptResult[] = [];
  /** Claims that workers know as their own, as in `knownClaims`. */
  known = new Map<string, number>();
  /** Recorded outcomes. Another worker may record the same one. */
  recorded: AttemptResult[] = [];
  /** Claims that followed an attempt's outcome, by its claim and the kind of outcome. */
  followers = new Map<string, Set<string>>();
  /** Whether an attempt was claimed after a final refusal. */
  isClaimedAfterRefusal = false;
  /** Whether a response made the message fail while another attempt of it may have been made. */
  isFailedTooSoon = false;
  /** Whether a provider's response or receipt proved that it took the message. */
  isProven = false;
  /** Whether the message failed, free of charge, despite that proof. */
  isRefundedAfterProof = false;
  /** Claims that were given back; each may be given back again. */
  givenBack: Pick<Attempt, "seq" | "claim">[] = [];
  /** Claims that once had the outcome "unknown". */
  unknown = new Set<string>();
  moves: MessageStatus[] = ["pending"];
  money: string[] = [];
  waiting: { provider: string; seq: number } | null = null;
  dispatches = 1;
  unavailable = new Set<string>();
  isThrottled = false;
  atMs = 0;
  private claims = 0;

  constructor(
    chain: readonly string[],
    readonly policy: Policy,
  ) {
    this.message = {
      id: "m",
      accountId: "a",
      status: "pending",
      costMicros: 10n,
      createdAt: new Date(0),
      scheduledAt: null,
      sentAt: null,
      chain: [...chain],
    };
  }

  private newClaimToken = () => {
    this.claims += 1;
    return `claim-${this.claims}`;
  };
  private made = (): StoredAttempt[] =>
    this.rows
      .toSorted((one, other) => one.seq - other.seq)
      .map((row) => ({
        ...row,
        throttledForMs: row.fault === "throttled" ? this.atMs - row.startedAt.getTime() : null,
      }));
  private isPending = () => this.message.status === "pending";
  private tried = () => this.made().map((row) => row.provider);
  private find = ({ seq, claim }: Pick<Attempt, "seq" | "claim">) =>
    this.rows.find((row) => row.seq === seq && row.claim === claim);
  private candidate = (): Candidate => ({
    message: { id: "m", to: "+1", from: "T", body: "x", encoding: "GSM-7", segments: 1 },
    accountId: "a",
    tried: this.tried(),
    afterUnknown: this.rows.some((row) => row.outcome === "unknown"),
  });

  /** Runs a dispatch job. `isHeard`: whether the worker learns that its claim was committed. */
  dispatch(worker: number, begins: boolean, isHeard: boolean): void {
    if (this.dispatches === 0) return;
    this.dispatches -= 1;
    if (!this.isPending() || this.waiting || this.rows.some((row) => row.outcome === null)) return;
    const candidate = this.candidate();
    if (this.policy === "hold" && candidate.afterUnknown) return;
    const next = nextProvider(this.message.chain, candidate.tried, (id) => this.unavailable.has(id));
    if (next.kind === "none") return;
    const attempt = attemptOf(candidate, next.provider, new Date(this.atMs), this.newClaimToken());
    if (next.kind === "unavailable" || this.isThrottled) this.waiting = { provider: next.provider, seq: attempt.seq };
    else this.claim(attempt, worker, begins, isHeard);
  }

  /** Serves the throttle queue. */
  serve(worker: number, begins: boolean, isHeard: boolean): void {
    const { waiting } = this;
    if (!waiting) return;
    this.waiting = null;
    if (this.unavailable.has(waiting.provider)) this.dispatches += 1;
    else {
      const attempt = attemptOf(this.candidate(), waiting.provider, new Date(this.atMs), this.newClaimToken());
      this.claim({ ...attempt, seq: waiting.seq }, worker, begins, isHeard);
    }
  }

  private claim(attempt: Attempt, worker: number, isBegun: boolean, isHeard: boolean): void {
    const isRefused = this.rows.some((row) => row.outcome === "refused");
    if (!this.isPending() || isRefused || this.rows.some((row) => row.seq === attempt.seq)) return;
    const { seq, provider, claim } = attempt;
    this.insert({ seq, provider, claim, worker, isBegun, outcome: null, fault: null, startedAt: new Date(this.atMs) });
    if (!isHeard) return;
    this.known.set(claim, worker);
    this.hands.push({ attempt, worker, isBegun });
  }

  private insert(row: Row): void {
    this.isClaimedAfterRefusal ||= this.rows.some(({ outcome }) => outcome === "refused");
    this.rows.push(row);
  }

  /** Begins a claimed attempt, or gives it back. */
  begin(hand: Hand): void {
    const row = this.find(hand.attempt);
    if (row && row.outcome === null && this.isPending()) row.isBegun = hand.isBegun = true;
    else this.giveBack(hand);
  }

  private drop(hand: Hand): void {
    this.hands = this.hands.filter((other) => other !== hand);
  }

  private dropClaim(hand: Hand): void {
    this.drop(hand);
    this.known.delete(hand.attempt.claim);
  }

  /** Calls the provider; the worker then has an outcome to record. */
  call(hand: Hand, outcome: SendOutcome, isTaken: boolean): void {
    if (!hand.isBegun) return;
    const { seq, provider, claim } = hand.attempt;
    this.calls.push({ seq, provider, claim, isTaken: isTakenBy(outcome, isTaken), outcome });
    this.drop(hand);
    this.unrecorded.push({ attempt: hand.attempt, outcome, nextClaim: this.newClaimToken(), worker: hand.worker });
  }

  /** Ends an attempt without a call: its provider has no settings, no connection or no free slot. */
  endUnbegun(hand: Hand): void {
    if (hand.isBegun) return;
    this.drop(hand);
    const outcome = { kind: "retryable", code: "x", detail: "Not ready.", fault: "message" } as const;
    this.unrecorded.push({ attempt: hand.attempt, outcome, nextClaim: this.newClaimToken(), worker: hand.worker });
  }

  /** Records an outcome again, without knowing that it was recorded. */
  recordAnew(ending: AttemptResult): void {
    this.record({ ...ending, nextClaim: this.newClaimToken() }, true);
  }

  /** Records an outcome. @param isHeard whether its worker learns of the COMMIT and continues. */
  record(ending: AttemptResult, isHeard: boolean): void {
    const { attempt, outcome, nextClaim, worker } = ending;
    this.unrecorded = this.unrecorded.filter((other) => other !== ending);
    this.unheard = this.unheard.filter((other) => other !== ending);
    (isHeard ? this.recorded : this.unheard).push(ending);
    this.isProven ||= outcome.kind === "accepted";
    if (outcome.kind === "unknown") this.unknown.add(attempt.claim);
    const { step, next } = this.isPending()
      ? decideNext(this.message, ending, this.made(), {
          at: new Date(this.atMs),
          table: { isUnavailable: (id) => this.unavailable.has(id), stateOf: () => null },
          throughput: { isThrottled: () => this.isThrottled },
          onUnknownOutcome: this.policy,
        })
      : { step: null, next: null };
    let following: Attempt | null = null;
    if (next?.kind === "attempt") {
      const { seq, provider } = next.attempt;
      const isFree = !this.rows.some((row) => row.seq === seq);
      if (next.isThrottled) this.waiting ??= { provider, seq };
      else if (isFree) {
        const startedAt = new Date(this.atMs);
        this.insert({ seq, provider, claim: nextClaim, worker, isBegun: false, outcome: null, fault: null, startedAt });
      }
      if (!next.isThrottled && (isFree || next.isClaimed)) following = next.attempt;
    } else if (next?.kind === "unavailable") this.dispatches += 1;
    else if (next?.kind === "again") {
      this.message = { ...this.message, chain: [...this.message.chain, ...next.providers] };
      this.dispatches += 1;
    }
    const row = this.rows.find(({ seq }) => seq === attempt.seq);
    const isOwn = row?.claim === attempt.claim && (row.outcome === null || row.outcome === "unknown");
    if (row && (isOwn || outcome.kind === "accepted")) {
      row.outcome = outcome.kind;
      row.fault = outcome.kind === "retryable" ? outcome.fault : null;
    }
    if (step?.to === "failed") this.isFailedTooSoon ||= this.rows.some((other) => other !== row && isOpen(other));
    if (step) this.move([step]);
    if (isHeard && this.known.get(attempt.claim) === worker) this.known.delete(attempt.claim);
    if (!following) return;
    this.known.set(following.claim, worker);
    const of = `${attempt.claim} ${outcome.kind}`;
    this.followers.set(of, (this.followers.get(of) ?? new Set()).add(following.claim));
    if (isHeard) this.hands.push({ attempt: following, worker, isBegun: false });
  }

  private move(steps: readonly Step[]): void {
    const folded = foldSteps(this.message, steps);
    const isRefunded = folded.moves.some((move) => move.kind === "refund");
    this.isRefundedAfterProof ||= isRefunded && this.isProven;
    this.message = { ...this.message, status: folded.status };
    this.moves.push(...folded.steps.map((step) => step.to));
    this.money.push(...folded.moves.map((move) => move.kind));
  }

  /** The worker has not called the provider and gives the attempt back. */
  giveBack(hand: Hand): void {
    this.dropClaim(hand);
    this.givenBack.push(hand.attempt);
    this.giveBackAgain(hand.attempt);
  }

  giveBackAgain({ seq, claim }: Pick<Attempt, "seq" | "claim">): void {
    const row = this.find({ seq, claim });
    if (row?.outcome === null) this.remove([row]);
  }

  private remove(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.rows = this.rows.filter((row) => !rows.includes(row));
    this.dispatches += 1;
  }

  /** Declares a worker dead, rightly (`isDead`: it loses its memory) or wrongly. */
  takeOver(worker: number, isDead: boolean, by: number): void {
    if (isDead) {
      this.hands = this.hands.filter((hand) => hand.worker !== worker);
      this.unrecorded = this.unrecorded.filter((ending) => ending.worker !== worker);
      this.unheard = this.unheard.filter((ending) => ending.worker !== worker);
      for (const [claim, owner] of this.known) if (owner === worker) this.known.delete(claim);
    }
    const open = this.rows.filter((row) => row.worker === worker && row.outcome === null);
    this.remove(open.filter((row) => !row.isBegun));
    if (!this.isPending()) return;
    for (const row of open.filter(({ isBegun }) => isBegun)) this.endAs(row, WORKER_LOST, by);
  }

  private endAs({ seq, provider, claim }: Row, outcome: SendOutcome, worker: number): void {
    const before = this.made().filter((row) => row.seq < seq);
    const candidate = { ...this.candidate(), tried: before.map((row) => row.provider) };
    const attempt = { ...attemptOf(candidate, provider, new Date(this.atMs), claim ?? ""), seq };
    this.record({ attempt, outcome, nextClaim: this.newClaimToken(), worker }, true);
  }

  /** Gives back a worker's claims that it does not know of. */
  giveBackUnheard(worker: number): void {
    const isUnheard = ({ claim, outcome }: Row) => outcome === null && this.known.get(claim ?? "") !== worker;
    this.remove(this.rows.filter((row) => row.worker === worker && isUnheard(row)));
  }

  /** A receipt for a call. */
  receipt({ seq, provider, isTaken, outcome }: Call, status: ReceiptReport["status"]): void {
    // A carrier that refused sends none; one that did not take the message can only report failure.
    if (!isTaken && (outcome.kind !== "unknown" || status !== "failed")) return;
    const row = this.rows.find((other) => other.seq === seq && other.provider === provider);
    if (!row) return;
    const isNegative = status === "failed" || status === "undelivered";
    const later = this.rows.filter((other) => other.seq > seq);
    const isSuperseded =
      isNegative && later.some(({ outcome }) => ["unknown", "accepted"].includes(outcome ?? "unknown"));
    this.isProven ||= !isNegative;
    const report = { providerMessageId: `${seq}`, status, code: null, detail: null, occurredAt: "" };
    if (!isSuperseded) this.move(stepsOf(provider, report, new Date(this.atMs)));
    row.outcome = "accepted";
  }

  /** Looks up the last attempt at its provider, never while the call may still be made. */
  lookUp(isRefused: boolean, by: number): void {
    const last = this.rows.toSorted((one, other) => other.seq - one.seq)[0];
    if (!last?.isBegun || (last.outcome !== null && last.outcome !== "unknown")) return;
    if (this.waiting || !this.isPending() || this.hands.some((hand) => hand.attempt.claim === last.claim)) return;
    const call = this.calls.find(({ claim }) => claim === last.claim);
    if (call?.isTaken) this.endAs(last, { kind: "accepted", providerMessageIds: [`${last.seq}`] }, by);
    else if (isRefused) this.endAs(last, { kind: "refused", code: "x", detail: "No." }, by);
    else this.endAs(last, { kind: "retryable", code: "x", detail: "Not found.", fault: "provider" }, by);
  }

  /** A quarter of an hour passes, and the sweeps run. */
  sweep(): void {
    this.atMs += 15 * MINUTE_MS;
    // After that time no attempt is still made or recorded.
    for (const hand of this.hands) hand.isBegun = false;
    for (const { nextClaim } of [...this.unrecorded, ...this.unheard]) this.known.delete(nextClaim);
    [this.unrecorded, this.unheard] = [[], []];
    if (!this.isPending()) return;
    if (this.waiting) {
      // Like provider-unavailable.ts, which fails messages waiting for a provider that stays unavailable.
      if (!this.unavailable.has(this.waiting.provider)) return;
      this.waiting = null;
      if (this.rows.some((row) => row.outcome === "unknown")) return;
      this.move([{ to: "failed", at: new Date(this.atMs) }]);
      return;
    }
    const isRefused = this.rows.some(({ outcome }) => outcome === "refused");
    const isExhausted = isRefused || (this.rows.length > 0 && this.rows.length >= this.message.chain.length);
    if (this.rows.some((row) => isOpen(row) && row.isBegun)) this.move([{ to: "failed", at: new Date(this.atMs) }]);
    else if (isExhausted && !this.rows.some(isOpen)) this.move([{ to: "failed", at: new Date(this.atMs) }]);
    else if (!this.rows.some(isOpen)) this.dispatches += 1;
  }
}

import { pool } from "@/server/core/db";
import type { SendOutcome } from "@/server/providers/port";

/** A call of a provider, as the provider saw it. */
export type Call = {
  messageId: string;
  seq: number;
  provider: string;
  claim: string;
  isTaken: boolean;
  outcome: SendOutcome;
  /** The ids of its parts, and those that were reported as delivered. */
  providerMessageIds: string[];
  delivered: Set<string>;
};

/** The committed outcome of a message: a refusal for good, or that a provider took it; now, and at the last look. */
type Known = { isRefused: boolean; isProven: boolean; wasProven: boolean };

/** Repeated observations of one account's messages; observations that must never occur are noted in `wrong`. */
export class SeenMessages {
  readonly wrong: string[] = [];
  private readonly statuses = new Map<string, string>();
  private readonly known = new Map<string, Known>();

  private know(id: string): Known {
    const known = this.known.get(id) ?? { isRefused: false, isProven: false, wasProven: false };
    this.known.set(id, known);
    return known;
  }

  /** It is committed that a provider took the message, whatever became of it there. */
  prove(id: string): void {
    this.know(id).isProven = true;
  }

  /** It is committed that a provider refused the message for good. */
  refuse(id: string): void {
    this.know(id).isRefused = true;
  }

  /** The messages that were refused for good. */
  refused = (): Set<string> => new Set([...this.known].flatMap(([id, { isRefused }]) => (isRefused ? [id] : [])));

  /** The messages that were pending when last seen. */
  pending = (): string[] => [...this.statuses].flatMap(([id, status]) => (status === "pending" ? [id] : []));

  /**
   * Compares every message's status with the one seen before, and with what its providers saw.
   * @param answers the ids that were returned, by request.
   */
  async look(
    accountId: string,
    answers: ReadonlyMap<string, ReadonlySet<string>>,
    calls: readonly Call[],
  ): Promise<void> {
    const { rows } = await pool().query<{ id: string; status: string; code: string | null; isRefunded: boolean }>(
      `SELECT id, status, error_code AS code, status = 'failed' AND sent_at IS NULL AS "isRefunded" FROM messages WHERE account_id = $1`,
      [accountId],
    );
    for (const { id, status, isRefunded } of rows) {
      const before = this.statuses.get(id) ?? "pending";
      const isBackwards = before !== status && before !== "pending" && (before !== "sent" || status === "pending");
      if (isBackwards) this.wrong.push(`${id} went from ${before} to ${status}`);
      if (isRefunded && before === "pending" && this.known.get(id)?.wasProven) {
        this.wrong.push(`${id} was refunded although its provider had reported that it took it`);
      }
      this.statuses.set(id, status);
    }
    for (const known of this.known.values()) known.wasProven = known.isProven;
    const seen = new Set(rows.map((row) => row.id));
    for (const id of [...answers.values()].flatMap((ids) => [...ids])) {
      if (!seen.has(id)) this.wrong.push(`${id} was accepted and is lost`);
    }
    const withdrawn = new Set(rows.flatMap(({ id, code }) => (code === "canceled" || code === "expired" ? [id] : [])));
    for (const { messageId, isTaken, outcome } of calls) {
      if (withdrawn.has(messageId) && (isTaken || outcome.kind === "unknown")) {
        this.wrong.push(`${messageId} was withdrawn although a provider may have it`);
      }
    }
    for (const { id } of rows.filter(({ status }) => status === "delivered")) {
      const own = calls.filter((call) => call.messageId === id);
      if (own.some(({ providerMessageIds, delivered }) => delivered.size === providerMessageIds.length)) continue;
      this.wrong.push(`${id} is delivered although a part was not`);
    }
    if (seen.size !== answers.size) this.wrong.push(`${answers.size} requests made ${seen.size} messages`);
  }

  /** The pending messages with their attempts and the queue that they wait in, each as JSON. */
  async describePending(): Promise<string[]> {
    const { rows } = await pool().query(
      `SELECT m.id, m.chain, w.provider AS waits, (SELECT json_agg(a ORDER BY a.seq) FROM message_attempts a
         WHERE a.message_id = m.id) AS attempts
       FROM messages m LEFT JOIN waiting_messages w ON w.message_id = m.id WHERE m.id = ANY($1::text[])`,
      [this.pending()],
    );
    return rows.map((row) => JSON.stringify(row));
  }
}

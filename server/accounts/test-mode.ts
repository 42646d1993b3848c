/**
 * Test mode: an account's twin, a row of its own, owns everything that is made with test keys
 * (docs/decisions/0028-test-mode-is-a-twin-account.md). Its id follows from that of the account, so that no query has to find it.
 */
import { now } from "../core/clock";
import { transaction } from "../core/db";
import { notFound } from "../core/errors";
import { newId, testAccountOf } from "../core/ids";
import { defineProcessValue } from "../core/process";
import { lockAccounts, postMoney } from "./store";

/** Play money, in micro-units. Messages of test mode have no price, so it is never spent. */
const PLAY_MONEY_MICROS = 1_000_000_000n;
/** A sender to begin with. */
const FIRST_SENDER = "TEST";
const KNOWN_MAX = 20_000;

/** Twins known to exist; twins never disappear. */
const known = defineProcessValue("accounts.test_mode", () => new Set<string>());

/**
 * Makes the test-mode twin of a live account, unless it exists: with play money and an approved sender. It is suspended if its
 * account is.
 * @returns its id.
 * @throws 404 when there is no such account.
 */
export async function ensureTestAccount(liveId: string): Promise<string> {
  const id = testAccountOf(liveId);
  if (known().has(id)) return id;
  await transaction(async (tx) => {
    // The lock orders this with a suspension: that finds the twin, or is copied to it here.
    if (!(await lockAccounts(tx, [liveId])).has(liveId)) throw notFound("There is no such account.");
    const { rowCount } = await tx.query(
      `INSERT INTO accounts (id, test_of, email, name, status, currency)
       SELECT $2, id, email, name, status, currency FROM accounts WHERE id = $1
       ON CONFLICT DO NOTHING`,
      [liveId, id],
    );
    if (rowCount === 0) return;
    const credit = { accountId: id, kind: "credit", amountMicros: PLAY_MONEY_MICROS, reservedMicros: 0n } as const;
    await postMoney(tx, [{ ...credit, messageId: null, note: "Play money", at: now() }]);
    await tx.query(
      `INSERT INTO senders (id, account_id, sender_id, type, status, approved_at)
       VALUES ($1, $2, $3, 'alphanumeric', 'approved', now())`,
      [newId("sender"), id, FIRST_SENDER],
    );
  });
  if (known().size >= KNOWN_MAX) known().clear();
  known().add(id);
  return id;
}

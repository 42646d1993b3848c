import pg from "pg";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { getMessage } from "@/server/messages/read";
import { applyReceipts, rejoinReceipts } from "@/server/messages/receipts/apply-receipts";
import { referenceTo } from "@/server/providers/reference";
import { contradictions } from "@/test/database/account-truth";
import { accepted, BUSY, claimed, prepareAttempts, record, report, statusOf, UNKNOWN } from "@/test/database/attempts";

const LONG_TEXT = "x".repeat(400);

beforeAll(prepareAttempts);

describe("parts", () => {
  test("a message is delivered when the last of its parts is", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await record(message.first, accepted(...ids));
    for (const [at, id] of ids.entries()) {
      expect(await statusOf(message)).toBe("sent");
      await applyReceipts("vonage", [report(id, "delivered")]);
      // A repeated receipt changes nothing.
      await applyReceipts("vonage", [report(id, "delivered")]);
      if (at < 2) expect(await statusOf(message)).toBe("sent");
    }
    expect(await statusOf(message)).toBe("delivered");
    expect((await getMessage(message.account.actor, message.id)).provider_message_id).toBe(ids[0]);
  });

  test("a message with a lost part is undelivered, whatever the other parts report", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await record(message.first, accepted(...ids));
    await applyReceipts("vonage", [report(`${ids[0]}`, "delivered"), report(`${ids[1]}`, "undelivered")]);
    expect(await statusOf(message)).toBe("undelivered");
    await applyReceipts("vonage", [report(`${ids[1]}`, "delivered"), report(`${ids[2]}`, "delivered")]);
    expect(await statusOf(message)).toBe("undelivered");
  });

  test("receipts of all parts before the response deliver the message with the response", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await applyReceipts(
      "vonage",
      ids.map((id) => report(id, "delivered")),
    );
    expect(await statusOf(message)).toBe("pending");
    await record(message.first, accepted(...ids));
    expect(await statusOf(message)).toBe("delivered");
  });

  test("if a batch has several receipts of a part, the final one counts, even if it comes first", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await record(message.first, accepted(...ids));
    await applyReceipts(
      "vonage",
      ids.flatMap((id) => [report(id, "delivered"), report(id, "sent")]),
    );
    expect(await statusOf(message)).toBe("delivered");
  });

  test.each(["separately", "together"])(
    "a part's first final receipt counts; a contradicting one, %s, moves nothing",
    async (how) => {
      const message = await claimed(LONG_TEXT);
      const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
      await record(message.first, accepted(...ids));
      const contradicting = [report(`${ids[0]}`, "delivered"), report(`${ids[0]}`, "failed")];
      if (how === "together") await applyReceipts("vonage", contradicting);
      else for (const one of contradicting) await applyReceipts("vonage", [one]);
      expect(await statusOf(message)).toBe("sent");
      await applyReceipts("vonage", [report(`${ids[1]}`, "delivered"), report(`${ids[2]}`, "delivered")]);
      expect(await statusOf(message)).toBe("delivered");
    },
  );

  test("parts taken before the provider stopped responding are matched by their ids", async () => {
    const message = await claimed(LONG_TEXT);
    const taken = ["a", "b"].map((part) => `${message.id}-${part}`);
    await record(message.first, { ...UNKNOWN, taken });
    await applyReceipts("vonage", [report(`${taken[0]}`, "delivered")]);
    // The third part may be lost, so two parts do not deliver the message.
    await applyReceipts("vonage", [report(`${taken[1]}`, "delivered")]);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "sent", provider: "vonage" });
  });

  test("parts of a send without a response are counted by our reference", async () => {
    const message = await claimed(LONG_TEXT);
    const reference = referenceTo(message.id, 1);
    for (const part of ["a", "b"]) {
      await applyReceipts("vonage", [report(`${message.id}-${part}`, "delivered", reference)]);
      expect(await statusOf(message)).toBe("sent");
    }
    await applyReceipts("vonage", [report(`${message.id}-c`, "delivered", reference)]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("a parked receipt of the part that names its message is joined as that of the part alone", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await applyReceipts("vonage", [report(`${ids[0]}`, "delivered")]);
    // As if the transaction that stored the outcome had not seen the receipt.
    await pool().query(
      "UPDATE message_attempts SET outcome = 'accepted', provider_message_id = $2 WHERE message_id = $1",
      [message.id, ids[0]],
    );
    await pool().query(
      `INSERT INTO attempt_parts (provider, provider_message_id, message_id, seq)
       SELECT 'vonage', id, $1, 1 FROM unnest($2::text[]) AS i (id)`,
      [message.id, ids],
    );
    await rejoinReceipts("vonage", ids);
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("vonage", [report(`${ids[1]}`, "delivered"), report(`${ids[2]}`, "delivered")]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("parts of a later attempt are not counted with those of a send without a response", async () => {
    const message = await claimed(LONG_TEXT);
    await record(message.first, UNKNOWN);
    await pool().query(
      `INSERT INTO attempt_parts (provider, provider_message_id, message_id, seq, status)
       SELECT 'twilio', $1 || '-later-' || part, $1, 2, 'sent' FROM generate_series(1, 2) part`,
      [message.id],
    );
    await applyReceipts("vonage", [report(`${message.id}-a`, "delivered", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("sent");
  });

  test.each([
    ["two", ["a", "b"]],
    ["one", ["a"]],
  ])(
    "receipts by reference before the response deliver the message with the response, even with %s parts where we count three",
    async (_, parts) => {
      const message = await claimed(LONG_TEXT);
      const ids = parts.map((part) => `${message.id}-${part}`);
      for (const id of ids) await applyReceipts("vonage", [report(id, "delivered", referenceTo(message.id, 1))]);
      expect(await statusOf(message)).toBe("sent");
      await record(message.first, accepted(...ids));
      const shown = await getMessage(message.account.actor, message.id);
      expect(shown).toMatchObject({ status: "delivered", attempts: 1 });
      expect(await contradictions(message.account.accountId)).toEqual([]);
    },
  );

  test("a receipt of another part than the response names does not deliver the message with it", async () => {
    const message = await claimed(LONG_TEXT);
    await applyReceipts("vonage", [report(`${message.id}-a`, "delivered", referenceTo(message.id, 1))]);
    await record(message.first, accepted(`${message.id}-b`));
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("vonage", [report(`${message.id}-b`, "delivered")]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("a part without a receipt at the response is waited for, even if others are delivered", async () => {
    const message = await claimed(LONG_TEXT);
    const [first, second] = [`${message.id}-a`, `${message.id}-b`];
    await applyReceipts("vonage", [report(first, "delivered", referenceTo(message.id, 1))]);
    await record(message.first, accepted(first, second));
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("vonage", [report(second, "delivered")]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("a report on the whole text settles a send without a response, also at a provider that reports on parts", async () => {
    const message = await claimed(LONG_TEXT);
    await record(message.first, UNKNOWN);
    const id = `${message.id}-whole`;
    const ofWhole = { ...report(id, "delivered", referenceTo(message.id, 1)), isOfWhole: true };
    await applyReceipts("vonage", [ofWhole]);
    const settled = { status: "delivered", provider: "vonage", provider_message_id: id };
    expect(await getMessage(message.account.actor, message.id)).toMatchObject(settled);
    await applyReceipts("vonage", [ofWhole, report(id, "undelivered")]);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject(settled);
  });
});

/** Ids of the accounts that each statement of `work` locks. */
async function accountLocks(work: () => Promise<unknown>): Promise<string[][]> {
  const locks: string[][] = [];
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [sent] = args as [{ name?: string; values?: [string[]] }];
    if (sent.name === "accounts.lock") locks.push([...(sent.values?.[0] ?? [])].sort());
    return (query as (...all: unknown[]) => unknown).apply(this, args) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return locks;
}

test("outcomes and earlier receipts lock their accounts with one statement, in the order of their ids", async () => {
  const [busy, unknown, taken] = [await claimed(), await claimed(LONG_TEXT), await claimed()];
  const partId = `${unknown.id}-1`;
  await applyReceipts("vonage", [report(partId, "delivered")]);
  const locks = await accountLocks(() =>
    // The first outcome is recorded alone, and the others together after it.
    Promise.all([
      record(busy.first, BUSY),
      record(taken.first, accepted(`${taken.id}-1`)),
      record(unknown.first, { ...UNKNOWN, taken: [partId] }),
    ]),
  );
  expect(locks).toEqual([[unknown.account.accountId, taken.account.accountId]]);
  expect(await Promise.all([busy, unknown, taken].map(statusOf))).toEqual(["pending", "sent", "sent"]);
  expect((await checkLedger()).drifted).toEqual([]);
});

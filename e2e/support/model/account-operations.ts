/** Balance, senders and suppressions. */
import { expect } from "@playwright/test";
import type { Sender } from "@/server/senders/schema";
import type { ImportResult } from "@/server/suppressions/import-schema";
import type { Suppression } from "@/server/suppressions/schema";
import { ISO } from "../follow";
import { expectStatus, isRefused, NOT_FOUND, none, passes, type Refusal } from "./agreement";
import { type Prepared, prepareCreation } from "./creation";
import { Disagreement, micros, type Side, spent, widenWays } from "./model-state";
import { registered } from "./send-operations";

/** GET /balance, whose result lies between the bounds of {@link spent}. */
export const prepareBalance = (keyId: string): Prepared => ({
  keyId,
  ask: { method: "GET", path: "/balance" },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["balance:read"]);
    if (!caller) return;
    expectStatus(response, 200);
    const { side } = caller;
    const { balance } = response.body.data as { balance: number };
    const { least, most } = spent(side);
    expect(response.body.data).toMatchObject({ object: "balance", livemode: side.isLive, currency: "USD", as_of: ISO });
    if (micros(balance) > side.creditMicros - least || micros(balance) < side.creditMicros - most) {
      throw new Disagreement(
        `The balance is ${balance}: ${JSON.stringify({ credit: side.creditMicros, least, most })}`,
      );
    }
  },
});

const SENDER_ID = /^(?=.*[A-Za-z])[A-Za-z0-9._&-](?:[A-Za-z0-9 ._&-]{0,9}[A-Za-z0-9._&-])?$|^\+?\d{3,15}$/;

/** POST /senders/create. */
export function prepareSender(keyId: string, senderId: string, idempotencyKey: string | null): Prepared {
  const param = "sender_id";
  return prepareCreation({
    ...{ keyId, idempotencyKey, path: "/senders/create", scope: "senders:write", body: { sender_id: senderId } },
    input: SENDER_ID.test(senderId) ? [] : [{ status: 400, reason: "invalid_sender_id", param }],
    refusals: (side) => {
      const refusals = none();
      const known = registered(side, senderId);
      if (side.senders.some((sender) => sender.senderId === known)) {
        refusals.certain.push({ status: 400, reason: "sender_exists", param });
      }
      return refusals;
    },
    create: (side, _, data) => {
      const sender = data as Sender;
      const status = side.isLive ? "pending" : "approved";
      expect(sender).toMatchObject({ object: "sender", sender_id: senderId, status, livemode: side.isLive });
      side.senders.push({ id: sender.id, senderId, status });
      widenWays(side);
    },
  });
}

/** GET /senders/{id}. */
export const prepareReadSender = (keyId: string, id: string): Prepared => ({
  keyId,
  ask: { method: "GET", path: `/senders/${id}` },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, []);
    if (!caller) return;
    const sender = caller.side.senders.find((each) => each.id === id);
    if (isRefused(response, { certain: sender ? [] : [NOT_FOUND], possible: [] }) || !sender) return;
    const { status } = response.body.data as Sender;
    expect(response.body.data).toMatchObject({ id, object: "sender", sender_id: sender.senderId });
    expect(sender.status === "approved" ? ["approved"] : ["pending", "approved"]).toContain(status);
    sender.status = status as "pending" | "approved";
  },
});

/** DELETE /senders/{id}. */
export const prepareDeleteSender = (keyId: string, id: string): Prepared => ({
  keyId,
  ask: { method: "DELETE", path: `/senders/${id}` },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["senders:write"]);
    if (!caller) return;
    const { side } = caller;
    const known = side.senders.some((each) => each.id === id);
    if (isRefused(response, { certain: known ? [] : [NOT_FOUND], possible: [] })) return;
    expect(response.body.data).toEqual({ id, object: "sender", deleted: true });
    side.senders = side.senders.filter((each) => each.id !== id);
    // A message that waits for its time fails when that comes.
    widenWays(side);
  },
});

type Entry = Side["suppressions"][number];

/** A STOP is a separate entry. */
const isSame = (entry: Entry, number: string, senderId: string | null, reason: Entry["reason"] = "manual") =>
  entry.number === number && entry.senderId === senderId && entry.reason === reason;

const unknownSender = (side: Side, senderId: string | null): Refusal[] =>
  senderId === null || side.senders.some((sender) => sender.senderId === registered(side, senderId))
    ? []
    : [{ status: 400, reason: "unknown_sender", param: "sender_id" }];

export type SuppressionStep = { number: string; senderId: string | null; note: string | null };

/** POST /suppressions, which returns the entry that exists already. */
export function prepareSuppression(keyId: string, step: SuppressionStep, idempotencyKey: string | null): Prepared {
  const { number, senderId, note } = step;
  return prepareCreation({
    ...{ keyId, idempotencyKey, path: "/suppressions", scope: "senders:write" },
    body: { number, sender_id: senderId, ...(note === null ? {} : { note }) },
    input: /^\+[1-9]\d{6,14}$/.test(number) ? [] : [{ status: 400, reason: null, param: "number" }],
    refusals: (side) => ({ certain: unknownSender(side, senderId), possible: [] }),
    create: (side, _, data) => {
      const shown = data as Suppression;
      const name = senderId === null ? null : registered(side, senderId);
      const known = side.suppressions.find((entry) => isSame(entry, number, name));
      const kept = known ? known.note : note;
      expect(shown).toMatchObject({ object: "suppression", number, sender_id: name, reason: "manual", note: kept });
      if (known?.id) expect(shown.id).toBe(known.id);
      if (known) known.id = shown.id;
      else side.suppressions.push({ id: shown.id, number, senderId: name, note, reason: "manual" });
      widenWays(side);
    },
  });
}

/** DELETE /suppressions/{id}. */
export const prepareUnsuppression = (keyId: string, id: string): Prepared => ({
  keyId,
  ask: { method: "DELETE", path: `/suppressions/${id}` },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["senders:write"]);
    if (!caller) return;
    const { side } = caller;
    const known = side.suppressions.some((entry) => entry.id === id);
    if (isRefused(response, { certain: known ? [] : [NOT_FOUND], possible: [] })) return;
    expect(response.body.data).toEqual({ id, object: "suppression", deleted: true });
    side.suppressions = side.suppressions.filter((entry) => entry.id !== id);
    widenWays(side);
  },
});

/** An entry of an import: `number` as it is stored (null: not a number), `text` as it is written. */
export type ImportEntry = { text: string; number: string | null };

/** POST /suppressions/import. */
export const prepareImport = (keyId: string, entries: ImportEntry[], senderId: string | null): Prepared => ({
  keyId,
  ask: {
    ...{ method: "POST", path: "/suppressions/import" },
    body: {
      numbers: entries.map(({ text }) => text),
      note: "Import",
      ...(senderId === null ? {} : { sender_id: senderId }),
    },
  },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["senders:write"]);
    if (!caller) return;
    const { side } = caller;
    if (isRefused(response, { certain: unknownSender(side, senderId), possible: [] })) return;
    const name = senderId === null ? null : registered(side, senderId);
    const numbers = entries.flatMap(({ number }) => number ?? []);
    const distinct = [...new Set(numbers)];
    const added = distinct.filter((number) => !side.suppressions.some((entry) => isSame(entry, number, name)));
    const result = response.body.data as ImportResult;
    expect(result).toMatchObject({
      object: "suppression_import",
      added: added.length,
      existing: distinct.length - added.length,
      duplicates: numbers.length - distinct.length,
      refused: entries.length - numbers.length,
    });
    expect(result.refusals.map(({ line }) => line)).toEqual(
      entries.flatMap(({ number }, at) => (number === null ? [at + 1] : [])),
    );
    const entry = { id: null, senderId: name, note: "Import", reason: "manual" as const };
    for (const number of added) side.suppressions.push({ ...entry, number });
    widenWays(side);
  },
});

/** The whole list, from which the model learns the ids of entries that an import or a STOP has added. */
export const prepareSuppressions = (keyId: string): Prepared => ({
  keyId,
  ask: { method: "GET", path: "/suppressions?limit=100" },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["sms:read"]);
    if (!caller) return;
    expectStatus(response, 200);
    const { side } = caller;
    const items = response.body.data as Suppression[];
    const named = ({ number, senderId, note, reason }: Omit<Entry, "id">) => `${number} ${senderId} ${note} ${reason}`;
    expect(items.map(({ sender_id: senderId, ...item }) => named({ ...item, senderId })).toSorted()).toEqual(
      side.suppressions.map(named).toSorted(),
    );
    for (const { id, number, sender_id, reason } of items) {
      const known = side.suppressions.find((entry) => isSame(entry, number, sender_id, reason));
      if (!known) continue;
      if (known.id !== null) expect(id).toBe(known.id);
      known.id = id;
    }
  },
});

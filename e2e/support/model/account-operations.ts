/** Balance, API keys, senders and suppressions. */
import { expect } from "@playwright/test";
import type { CreatedApiKey } from "@/server/api-keys/schema";
import type { Sender } from "@/server/senders/schema";
import type { ImportResult } from "@/server/suppressions/import-schema";
import type { Suppression } from "@/server/suppressions/schema";
import { ISO } from "../follow";
import { expectStatus, isRefused, NOT_FOUND, none, passes, type Refusal } from "./agreement";
import { type Prepared, prepareCreation } from "./creation";
import { Disagreement, type Key, micros, type Side, spent, widenWays } from "./model-state";
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

const KEY_FIELDS = { object: "api_key", id: expect.stringMatching(/^key_[0-9a-z]{26}$/), created_at: ISO };

export type KeyStep = { name: string; permissions: string[] | null; daily_limit: number | null | undefined };

const lacks = (key: Key, permissions: readonly string[]): boolean =>
  permissions.some((permission) => !key.permissions.includes(permission));

/** POST /api-keys/create. */
export function prepareKey(keyId: string, step: KeyStep, idempotencyKey: string | null): Prepared {
  const { name, permissions, daily_limit } = step;
  const isBeyond = (key: Key) =>
    key.dailyLimit !== null && daily_limit !== undefined && (daily_limit === null || daily_limit > key.dailyLimit);
  return prepareCreation({
    ...{ keyId, idempotencyKey, path: "/api-keys/create", scope: "keys:write", showsSecret: true },
    body: {
      name,
      ...(permissions === null ? {} : { permissions }),
      ...(daily_limit === undefined ? {} : { daily_limit }),
    },
    refusals: (_, key) => {
      const refusals = none();
      if (permissions !== null && lacks(key, permissions)) {
        refusals.certain.push({ status: 403, reason: "scope_not_held", param: "permissions" });
      }
      if (isBeyond(key)) refusals.certain.push({ status: 403, reason: "limit_not_held", param: "daily_limit" });
      return refusals;
    },
    create: (side, key, data) => {
      const made = data as CreatedApiKey;
      const granted = permissions ?? key.permissions;
      const rateLimit = Math.min(600, key.rateLimit);
      const prefix = side.isLive ? "ds_live_" : "ds_test_";
      expect(made).toMatchObject({
        ...KEY_FIELDS,
        ...{ name, livemode: side.isLive, is_active: true, created_by: key.id, last_used_at: null, expires_at: null },
        ...{ rate_limit: rateLimit, plain_key: expect.stringMatching(`^${prefix}[0-9A-Za-z]{32}$`) },
      });
      expect(made.permissions.toSorted()).toEqual(granted.toSorted());
      side.keys.push({
        ...{ id: made.id, plain: made.plain_key, name, permissions: granted, rateLimit, isActive: true },
        ...{ createdBy: key.id, dailyLimit: daily_limit === undefined ? key.dailyLimit : daily_limit },
      });
    },
  });
}

/** The keys that descend from this one. */
const descendantsOf = (side: Side, id: string): Key[] =>
  side.keys.filter(({ createdBy }) => createdBy === id).flatMap((key) => [key, ...descendantsOf(side, key.id)]);

/** DELETE /api-keys/{id}; `cascade`: with the keys that descend from it. */
export const prepareRevoke = (keyId: string, id: string, cascade: boolean): Prepared => ({
  keyId,
  ask: { method: "DELETE", path: `/api-keys/${id}${cascade ? "?cascade=true" : ""}` },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["keys:write"]);
    if (!caller) return;
    const { side, key } = caller;
    const target = side.keys.find((each) => each.id === id);
    const heirs = cascade ? descendantsOf(side, id) : [];
    const ended = target ? [target, ...heirs].filter(({ isActive }) => isActive) : [];
    const refusals = none();
    if (ended.length === 0) refusals.certain.push(NOT_FOUND);
    else if (ended.some(({ permissions }) => lacks(key, permissions))) {
      refusals.certain.push({ status: 403, reason: "scope_not_held", param: "id" });
    }
    if (isRefused(response, refusals)) return;
    expectStatus(response, 200);
    expect(response.body.data).toEqual({ id, object: "api_key", deleted: true });
    for (const each of ended) each.isActive = false;
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

const isSame = (entry: { number: string; senderId: string | null }, number: string, senderId: string | null) =>
  entry.number === number && entry.senderId === senderId;

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
      else side.suppressions.push({ id: shown.id, number, senderId: name, note });
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
    for (const number of added) side.suppressions.push({ id: null, number, senderId: name, note: "Import" });
    widenWays(side);
  },
});

/** The whole list, from which the model learns the ids of imported entries. */
export const prepareSuppressions = (keyId: string): Prepared => ({
  keyId,
  ask: { method: "GET", path: "/suppressions?limit=100" },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["sms:read"]);
    if (!caller) return;
    expectStatus(response, 200);
    const { side } = caller;
    const items = response.body.data as Suppression[];
    const named = (number: string, senderId: string | null, note: string | null) => `${number} ${senderId} ${note}`;
    expect(items.map(({ number, sender_id, note }) => named(number, sender_id, note)).toSorted()).toEqual(
      side.suppressions.map(({ number, senderId, note }) => named(number, senderId, note)).toSorted(),
    );
    for (const { id, number, sender_id } of items) {
      const known = side.suppressions.find((entry) => isSame(entry, number, sender_id));
      if (!known) continue;
      if (known.id !== null) expect(id).toBe(known.id);
      known.id = id;
    }
  },
});

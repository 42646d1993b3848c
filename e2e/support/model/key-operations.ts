/** Keys: making, changing, revoking and listing them. */
import { expect } from "@playwright/test";
import type { ApiKey, CreatedApiKey } from "@/server/api-keys/schema";
import { ISO } from "../follow";
import { expectStatus, isRefused, NOT_FOUND, none, passes, type Refusal } from "./agreement";
import { type Prepared, prepareCreation } from "./creation";
import { expiryOf, type Key, lineageOf, type Side, type State } from "./model-state";

const GENERATIONS_MAX = 10;
const RATE_LIMIT_DEFAULT = 600;
const KEY_FIELDS = { object: "api_key", id: expect.stringMatching(/^key_[0-9a-z]{26}$/), created_at: ISO };

type Limits = Pick<Key, "rateLimit" | "dailyLimit" | "monthlyLimit" | "allowedIps" | "expiresAt">;

/** Limits as a request has them; omitted ones are undefined. */
export type LimitFields = {
  rate_limit?: number | undefined;
  daily_limit?: number | null | undefined;
  monthly_limit?: number | null | undefined;
  allowed_ips?: string[] | null | undefined;
  expires_at?: string | null | undefined;
};

const isWithinCount = (count: number | null, bound: number | null): boolean =>
  bound === null || (count !== null && count <= bound);

/** The addresses of the sequences: one, and its network. */
const isAddressWithin = (address: string, network: string): boolean =>
  address === network || (address === "127.0.0.1" && network === "127.0.0.0/8");

const areIpsWithin = (ips: string[] | null, bound: string[] | null): boolean =>
  bound === null || (ips?.every((address) => bound.some((network) => isAddressWithin(address, network))) ?? false);

/** Times in ISO 8601 sort by time. */
const isEndWithin = (end: string | null, bound: string | null): boolean =>
  bound === null || (end !== null && end <= bound);

/** The names of the limits that go beyond those of `bound`. */
const beyond = (limits: Limits, bound: Limits): string[] =>
  Object.entries({
    rate_limit: limits.rateLimit <= bound.rateLimit,
    daily_limit: isWithinCount(limits.dailyLimit, bound.dailyLimit),
    monthly_limit: isWithinCount(limits.monthlyLimit, bound.monthlyLimit),
    allowed_ips: areIpsWithin(limits.allowedIps, bound.allowedIps),
    expires_at: isEndWithin(limits.expiresAt, bound.expiresAt),
  }).flatMap(([name, isWithin]) => (isWithin ? [] : [name]));

/** The limits after a request; omitted ones are those of `former`. An empty list of addresses is none. */
const limitsAfter = (given: LimitFields, former: Limits): Limits => ({
  rateLimit: given.rate_limit ?? former.rateLimit,
  dailyLimit: given.daily_limit === undefined ? former.dailyLimit : given.daily_limit,
  monthlyLimit: given.monthly_limit === undefined ? former.monthlyLimit : given.monthly_limit,
  allowedIps:
    given.allowed_ips === undefined ? former.allowedIps : given.allowed_ips?.length ? given.allowed_ips : null,
  expiresAt: given.expires_at === undefined ? former.expiresAt : given.expires_at,
});

const lacks = (key: Key, permissions: readonly string[]): boolean =>
  permissions.some((permission) => !key.permissions.includes(permission));

const notHeld = (param: string): Refusal => ({ status: 403, reason: "limit_not_held", param });

/** Refusals of an expiry, which may be over when the request arrives. */
function refusalsOfExpiry({ expires_at }: LimitFields, { during }: State) {
  const refusals = none();
  const refusal = { status: 400, reason: "expires_in_the_past", param: "expires_at" };
  const endsAt = expires_at ? Date.parse(expires_at) : Number.POSITIVE_INFINITY;
  if (endsAt <= during.from) refusals.certain.push(refusal);
  else if (endsAt <= during.to) refusals.possible.push(refusal);
  return refusals;
}

export type KeyStep = LimitFields & { name: string; permissions: string[] | null };

/** POST /api-keys/create. */
export function prepareKey(keyId: string, step: KeyStep, idempotencyKey: string | null): Prepared {
  const { name, permissions, ...given } = step;
  const defaults = (key: Key): Limits => ({ ...key, rateLimit: Math.min(RATE_LIMIT_DEFAULT, key.rateLimit) });
  return prepareCreation({
    ...{ keyId, idempotencyKey, path: "/api-keys/create", scope: "keys:write", showsSecret: true },
    // An omitted field is left out as JSON.
    body: JSON.parse(JSON.stringify({ name, permissions: permissions ?? undefined, ...given })),
    refusals: (side, key, state) => {
      const refusals = refusalsOfExpiry(given, state);
      if (permissions !== null && lacks(key, permissions)) {
        refusals.certain.push({ status: 403, reason: "scope_not_held", param: "permissions" });
      }
      refusals.certain.push(...beyond(limitsAfter(given, defaults(key)), key).map(notHeld));
      if (lineageOf(side, key).length >= GENERATIONS_MAX) {
        refusals.certain.push({ status: 400, reason: "key_generations", param: null });
      }
      return refusals;
    },
    create: (side, key, data) => {
      const { plain_key: plain, plain_key_notice: _, ...shown } = data as CreatedApiKey;
      const limits = limitsAfter(given, defaults(key));
      expect(plain).toMatch(new RegExp(`^${side.isLive ? "ds_live_" : "ds_test_"}[0-9A-Za-z]{32}$`));
      const made: Key = {
        ...{ id: shown.id, plain, name, permissions: permissions ?? key.permissions, isActive: true },
        ...{ createdBy: key.id, ...limits },
      };
      expect(shown).toMatchObject({ ...wireOf(side, made), last_used_at: null, is_active: true });
      expect(shown.permissions.toSorted()).toEqual(made.permissions.toSorted());
      side.keys.push(made);
    },
  });
}

/** The fields of a key that every key may see. */
const wireOf = (side: Side, key: Key) => ({
  ...{ ...KEY_FIELDS, id: key.id, name: key.name, livemode: side.isLive, created_by: key.createdBy },
  ...{ rate_limit: key.rateLimit, expires_at: key.expiresAt },
});

/** A key that works: neither revoked nor expired. */
const keyState = (state: State, key: Key) => (key.isActive ? expiryOf(key, state) : ("revoked" as const));

/** A change of a key; `permissions` is a field that there is not. */
export type KeyChange = LimitFields & { name?: string | undefined; permissions?: string[] | undefined };

/** PATCH /api-keys/{id}. */
export const prepareChangeKey = (keyId: string, id: string, change: KeyChange): Prepared => ({
  keyId,
  ask: { method: "PATCH", path: `/api-keys/${id}`, body: change },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["keys:write"]);
    if (!caller) return;
    const { side, key } = caller;
    const target = side.keys.find((each) => each.id === id);
    const works = target ? keyState(state, target) : "unknown";
    if (!target || works === "expired" || works === "revoked") {
      isRefused(response, { certain: [NOT_FOUND], possible: [] });
      return;
    }
    const { name = target.name, permissions, ...given } = change;
    const limits = limitsAfter(given, target);
    const widened = beyond(limits, target);
    const refusals = refusalsOfExpiry(given, state);
    if (works === "expires") refusals.possible.push(NOT_FOUND);
    if (widened.length > 0 && lacks(key, target.permissions)) {
      refusals.certain.push({ status: 403, reason: "scope_not_held" });
    }
    refusals.certain.push(
      ...beyond(limits, key)
        .filter((param) => widened.includes(param))
        .map(notHeld),
    );
    if (isRefused(response, refusals)) return;
    expectStatus(response, 200);
    Object.assign(target, { name, ...limits });
    expect(response.body.data).toMatchObject({
      ...{ ...wireOf(side, target), permissions: expect.arrayContaining(target.permissions) },
      ...{ daily_limit: target.dailyLimit, monthly_limit: target.monthlyLimit, allowed_ips: target.allowedIps },
    });
    expect(response.body.meta.warnings?.map(({ code, param }) => `${code} ${param}`) ?? []).toEqual(
      permissions === undefined ? [] : ["unknown_parameter permissions"],
    );
  },
});

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

/** GET /api-keys: all keys, newest first, without the limits that only the response to a change shows. */
export const prepareKeys = (keyId: string): Prepared => ({
  keyId,
  ask: { method: "GET", path: "/api-keys" },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, []);
    if (!caller) return;
    expectStatus(response, 200);
    const { side } = caller;
    const { data } = response.body.data as { data: ApiKey[] };
    expect(data.map(({ id }) => id)).toEqual(
      side.keys
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    for (const shown of data) {
      const known = side.keys.find(({ id }) => id === shown.id) as Key;
      const works = keyState(state, known);
      expect(shown).toMatchObject(wireOf(side, known));
      expect(shown.permissions.toSorted()).toEqual(known.permissions.toSorted());
      if (works !== "expires") expect(shown.is_active).toBe(works === "works");
      for (const limit of ["daily_limit", "monthly_limit", "allowed_ips", "plain_key"]) {
        expect(shown).not.toHaveProperty(limit);
      }
    }
  },
});

/** Tests of access that every operation needs; each operation's file registers them in one line. */

import type { Receiver } from "../../test/network/receiver";
import type { OwnAccount } from "./accounts";
import type { Ask, CheckedApi } from "./checked-api";
import { expect, test } from "./contract-test";

/** Every scope of a key. */
export const PERMISSIONS = [
  "sms:send",
  "sms:bulk",
  "sms:read",
  "balance:read",
  "dlr:read",
  "senders:write",
  "keys:write",
  "webhooks:write",
] as const;

/** Makes a request that succeeds for permitted callers. `rest` may do everything. */
type Prepare = (rest: CheckedApi, account: OwnAccount, receiver: Receiver) => Ask | Promise<Ask>;

const UNKNOWN_KEY = `ds_live_${"0".repeat(32)}`;

/** Registers the test that callers without a valid key get only a 401. */
export function requiresKey(method: string, path: string): void {
  test("requires a key", async ({ rest }) => {
    const request = { method, path, ...(method === "POST" || method === "PATCH" ? { body: {} } : {}) };
    const refusal = (headers: Record<string, string>) => rest.withKey(null).refusal(401, { ...request, headers });
    for (const authorization of ["", "Bearer", "Basic dXNlcjpwYXNzd29yZA==", UNKNOWN_KEY]) {
      expect(await refusal({ authorization })).toMatchObject({ param: null, details: { reason: "key_missing" } });
    }
    for (const key of [UNKNOWN_KEY, "ds_live_short", UNKNOWN_KEY.replace("live", "test"), `${UNKNOWN_KEY}0`]) {
      expect(await refusal({ authorization: `Bearer ${key}` })).toMatchObject({ details: { reason: "key_invalid" } });
    }
    expect(await rest.withKey(null).refusal(401, request)).toMatchObject({ details: { reason: "key_missing" } });
  });
}

/** Registers the test that this scope, and no other, opens the operation; null: every key may call it. */
export function requiresPermission(permission: (typeof PERMISSIONS)[number] | null, prepare: Prepare): void {
  if (permission === null) {
    test("is open to every key, whatever its permissions", async ({ rest, account, receiver, keyed }) => {
      const request = await prepare(rest, account, receiver);
      for (const held of PERMISSIONS)
        expect((await (await keyed({ permissions: [held] })).ask(request)).status).toBe(200);
    });
    return;
  }
  test(`requires the permission ${permission} and no other`, async ({ rest, account, receiver, keyed }) => {
    const without = await keyed({ permissions: PERMISSIONS.filter((held) => held !== permission) });
    const only = await keyed({ permissions: [permission] });
    const request = await prepare(rest, account, receiver);
    expect(await without.refusal(403, request)).toMatchObject({
      param: null,
      details: { reason: "missing_scope", required: permission },
    });
    expect([200, 201]).toContain((await only.ask(request)).status);
  });
}

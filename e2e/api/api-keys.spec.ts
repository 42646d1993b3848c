import type { ApiKey, CreatedApiKey } from "@/server/api-keys/schema";
import { PERMISSIONS, requiresKey, requiresPermission } from "../support/access";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { ISO } from "../support/follow";

const UNKNOWN = "/api-keys/key_01k9x7t4m2e8v5q3r6w1y0z8ab";
const ACCOUNT = { method: "GET", path: "/account" };

const create = (body: unknown) => ({ method: "POST", path: "/api-keys/create", body });
const listKeys = async (rest: CheckedApi): Promise<ApiKey[]> =>
  (await rest.get<{ object: string; data: ApiKey[] }>("/api-keys")).data;

test.describe("GET /api-keys", () => {
  test("lists every key newest first, the revoked ones as inactive, and never a key itself", async ({
    rest,
    account,
  }) => {
    const made: CreatedApiKey[] = [];
    for (const name of ["First", "Second"]) made.push(await rest.post<CreatedApiKey>("/api-keys/create", { name }));
    await rest.delete(`/api-keys/${made[0]?.id}`);
    const answer = await rest.get<{ object: string; data: ApiKey[] }>("/api-keys");
    expect(answer.object).toBe("list");
    expect(answer.data.map(({ id, is_active }) => [id, is_active])).toEqual([
      [made[1]?.id, true],
      [made[0]?.id, false],
      [account.apiKeyId, true],
    ]);
    const { plain_key, plain_key_notice: _, ...second } = made[1] ?? ({} as CreatedApiKey);
    expect(answer.data[0]).toEqual(second);
    expect(JSON.stringify(answer)).not.toContain(plain_key);
  });

  test("shows when a key was last used", async ({ rest, keyed }) => {
    const used = await keyed({ name: "Used" });
    expect((await listKeys(rest))[0]).toMatchObject({ name: "Used", last_used_at: null });
    await used.get("/account");
    await expect.poll(async () => (await listKeys(rest))[0]?.last_used_at).toEqual(ISO);
    const at = Date.parse(String((await listKeys(rest))[0]?.last_used_at));
    expect(Math.abs(Date.now() - at)).toBeLessThan(60_000);
  });

  requiresPermission(null, () => ({ method: "GET", path: "/api-keys" }));

  requiresKey("GET", "/api-keys");

  test("cannot see another account", async ({ rest, account, stranger }) => {
    await rest.post("/api-keys/create", { name: "Mine" });
    expect((await listKeys(stranger.rest)).map((key) => key.id)).toEqual([stranger.account.apiKeyId]);
    expect(await listKeys(rest)).toHaveLength(2);
    expect(account.apiKeyId).not.toBe(stranger.account.apiKeyId);
  });
});

test.describe("POST /api-keys/create", () => {
  test("responds 201 with the key, this once, and its permissions", async ({ rest }) => {
    const inOneHour = new Date(Date.now() + 3_600_000).toISOString();
    const input = { name: "Shop", permissions: ["sms:send", "sms:read"], rate_limit: 6_000, expires_at: inOneHour };
    const limits = { daily_limit: 1, monthly_limit: 2_147_483_647, allowed_ips: ["127.0.0.1", "203.0.113.0/24"] };
    const key = await rest.post<CreatedApiKey>("/api-keys/create", { ...input, ...limits });
    expect(key).toEqual({
      ...input,
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      object: "api_key",
      livemode: true,
      key_hint: expect.stringMatching(/^ds_live_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$/),
      is_active: true,
      // The test's own key made it.
      created_by: expect.stringMatching(/^key_/),
      last_used_at: null,
      created_at: ISO,
      plain_key: expect.stringMatching(/^ds_live_[0-9A-Za-z]{32}$/),
      plain_key_notice: expect.stringMatching(/\w/),
    });
    const [head, tail] = key.key_hint.split("…");
    expect(key.plain_key.startsWith(head ?? "-") && key.plain_key.endsWith(tail ?? "-")).toBe(true);
    expect((await rest.withKey(key.plain_key).ask(ACCOUNT)).status).toBe(200);
  });

  test("omitted fields get their defaults: the creator's permissions, 600 requests a minute, no expiry", async ({
    rest,
    keyed,
  }) => {
    const defaults = { rate_limit: 600, expires_at: null, permissions: [...PERMISSIONS] };
    expect(await rest.post("/api-keys/create", { name: "Plain" })).toMatchObject(defaults);
    const nulls = { daily_limit: null, monthly_limit: null, allowed_ips: null, expires_at: null };
    expect(await rest.post("/api-keys/create", { name: "Nulls", ...nulls })).toMatchObject(defaults);
    const lesser = await keyed({ permissions: ["keys:write", "sms:read"] });
    const inherited = await lesser.post<CreatedApiKey>("/api-keys/create", { name: "Inherited" });
    expect(inherited.permissions).toEqual(["sms:read", "keys:write"]);
  });

  test("a key never grants a permission that it lacks", async ({ keyed, rest }) => {
    const lesser = await keyed({ permissions: ["keys:write", "sms:read"] });
    for (const permissions of [["sms:send"], ["sms:read", "balance:read"], PERMISSIONS]) {
      const error = await lesser.refusal(403, create({ name: "More", permissions }));
      expect(error).toMatchObject({ param: "permissions", details: { reason: "scope_not_held" } });
    }
    expect(await listKeys(rest)).toHaveLength(2);
    const equal = await lesser.post<CreatedApiKey>("/api-keys/create", { name: "Less", permissions: ["sms:read"] });
    expect(equal.permissions).toEqual(["sms:read"]);
  });

  test("a key never grants more than its own limits, which a new key inherits unless it is given less", async ({
    keyed,
    rest,
    account,
  }) => {
    const inOneHour = new Date(Date.now() + 3_600_000).toISOString();
    const held = { rate_limit: 60, daily_limit: 1, allowed_ips: ["127.0.0.0/8"], expires_at: inOneHour };
    const narrow = await keyed(held);
    const wider = [
      { rate_limit: 6_000 },
      { daily_limit: null },
      { daily_limit: 2 },
      { allowed_ips: null },
      { allowed_ips: ["127.0.0.1", "203.0.113.7"] },
      { expires_at: null },
      { expires_at: new Date(Date.now() + 7_200_000).toISOString() },
    ];
    for (const limits of wider) {
      const error = await narrow.refusal(403, create({ name: "More", ...limits }));
      expect(error).toMatchObject({ param: Object.keys(limits)[0], details: { reason: "limit_not_held" } });
    }
    const same = await narrow.post<CreatedApiKey>("/api-keys/create", { name: "Same" });
    expect(same).toMatchObject({ rate_limit: 60, expires_at: inOneHour });
    const body = { recipients: ["+15550100008", "+15550100008"], from: account.sender, body: "Hello" };
    const two = await rest.withKey(same.plain_key).refusal(429, { method: "POST", path: "/messages/bulk", body });
    expect(two.details).toMatchObject({ reason: "daily_limit", limit: 1 });
    const less = { name: "Less", rate_limit: 1, daily_limit: 1, allowed_ips: ["127.0.0.1"] };
    expect(await narrow.post("/api-keys/create", less)).toMatchObject({ rate_limit: 1, expires_at: inOneHour });
  });

  test("refuses each wrong field with a 400 that names it", async ({ rest }) => {
    const wrong: Record<string, unknown[]> = {
      name: [undefined, null, "", "   ", "x".repeat(101), 5],
      permissions: [[], "sms:send", null],
      "permissions[0]": [["sms:fly"], [5], ["*"]],
      "permissions[1]": [["sms:read", "SMS:SEND"]],
      rate_limit: [0, -1, 6_001, 1.5, "60", null],
      daily_limit: [0, -1, 1.5, "10", 2 ** 31],
      monthly_limit: [0, -1, 1.5, "10", 2 ** 31],
      allowed_ips: ["127.0.0.1", {}],
      "allowed_ips[0]": [["::1"], ["localhost"], ["300.1.1.1"], ["10.0.0.0/33"], ["127.1"], [""], [5]],
      "allowed_ips[1]": [["127.0.0.1", "10.0.0.0/"]],
      expires_at: ["tomorrow", "2020-01-01T00:00:00Z", "2999-01-01", 4_102_444_800, ""],
    };
    for (const [param, values] of Object.entries(wrong)) {
      const field = param.split("[")[0] ?? "";
      for (const value of values) {
        const error = await rest.refusal(400, create({ name: "Wrong", [field]: value }));
        expect(error, `${field}: ${JSON.stringify(value)}`).toMatchObject({ param });
      }
    }
    const past = create({ name: "Wrong", expires_at: "2020-01-01T00:00:00Z" });
    expect((await rest.refusal(400, past)).details).toEqual({ reason: "expires_in_the_past" });
    expect(await listKeys(rest)).toHaveLength(1);
  });

  requiresPermission("keys:write", () => create({ name: "New" }));

  requiresKey("POST", "/api-keys/create");

  test("cannot see another account", async ({ rest, stranger, account }) => {
    const theirs = await stranger.rest.post<CreatedApiKey>("/api-keys/create", { name: "Theirs" });
    expect(await stranger.rest.withKey(theirs.plain_key).get("/account")).toMatchObject({
      id: stranger.account.accountId,
    });
    expect((await listKeys(rest)).map((key) => key.id)).toEqual([account.apiKeyId]);
  });
});

test.describe("DELETE /api-keys/{id}", () => {
  test("revokes the key: once the response arrives it is refused, for good", async ({ rest }) => {
    const key = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Old" });
    const old = rest.withKey(key.plain_key);
    expect((await old.ask(ACCOUNT)).status).toBe(200);
    expect(await rest.delete(`/api-keys/${key.id}`)).toEqual({ id: key.id, object: "api_key", deleted: true });
    expect(await old.refusal(401, ACCOUNT)).toMatchObject({ details: { reason: "key_invalid" } });
    await rest.refusal(404, { method: "DELETE", path: `/api-keys/${key.id}` });
  });

  test("also revokes the keys that it created, on request", async ({ rest }) => {
    const parent = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Parent" });
    const child = await rest.withKey(parent.plain_key).post<CreatedApiKey>("/api-keys/create", { name: "Child" });
    expect(child.created_by).toBe(parent.id);
    await rest.delete(`/api-keys/${parent.id}`);
    expect((await rest.withKey(child.plain_key).ask(ACCOUNT)).status).toBe(200);
    await rest.delete(`/api-keys/${parent.id}?cascade=true`);
    await rest.withKey(child.plain_key).refusal(401, ACCOUNT);
    const path = `/api-keys/${parent.id}?cascade=yes`;
    expect(await rest.refusal(400, { method: "DELETE", path })).toMatchObject({ param: "cascade" });
  });

  test("revokes no key with more permissions than the calling key", async ({ rest, keyed }) => {
    const strong = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Strong" });
    const weak = await keyed({ permissions: ["keys:write"] });
    const refusal = await weak.refusal(403, { method: "DELETE", path: `/api-keys/${strong.id}` });
    expect(refusal).toMatchObject({ param: "id", details: { reason: "scope_not_held" } });
    expect((await rest.withKey(strong.plain_key).ask(ACCOUNT)).status).toBe(200);
  });

  test("two keys work side by side, so that one can be rotated without a gap", async ({ rest }) => {
    const [old, next] = [
      await rest.post<CreatedApiKey>("/api-keys/create", { name: "Old" }),
      await rest.post<CreatedApiKey>("/api-keys/create", { name: "Next" }),
    ];
    for (const key of [old, next]) expect((await rest.withKey(key.plain_key).ask(ACCOUNT)).status).toBe(200);
    await rest.withKey(next.plain_key).delete(`/api-keys/${old.id}`);
    await rest.withKey(old.plain_key).refusal(401, ACCOUNT);
    expect((await rest.withKey(next.plain_key).ask(ACCOUNT)).status).toBe(200);
  });

  test("one of many simultaneous revocations succeeds, and the others find nothing", async ({ rest }) => {
    const { id } = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Old" });
    const request = { method: "DELETE", path: `/api-keys/${id}` };
    const answers = await Promise.all(Array.from({ length: 8 }, () => rest.ask(request)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(7).fill(404)]);
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    expect(await rest.refusal(404, { method: "DELETE", path: UNKNOWN })).toMatchObject({ param: "id" });
    await rest.refusal(404, { method: "DELETE", path: "/api-keys/none" });
    expect(await rest.refusal(400, { method: "DELETE", path: "/api-keys/%00" })).toMatchObject({ param: "id" });
  });

  requiresPermission("keys:write", async (rest) => {
    const old = { name: "Old", permissions: ["keys:write"] };
    const { id } = await rest.post<CreatedApiKey>("/api-keys/create", old);
    return { method: "DELETE", path: `/api-keys/${id}` };
  });

  requiresKey("DELETE", UNKNOWN);

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const foreign = await stranger.rest.refusal(404, { method: "DELETE", path: `/api-keys/${account.apiKeyId}` });
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "DELETE", path: UNKNOWN }));
    expect((await rest.ask(ACCOUNT)).status).toBe(200);
  });
});

test.describe("PATCH /api-keys/{id}", () => {
  const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/api-keys/${id}`, body });

  test("changes the given fields at once, and can be repeated", async ({ rest }) => {
    const {
      plain_key: key,
      plain_key_notice: _,
      ...made
    } = await rest.post<CreatedApiKey>("/api-keys/create", {
      name: "Old",
    });
    for (let round = 0; round < 2; round += 1) {
      const answer = await rest.ask(patch(made.id, { name: "New", rate_limit: 9, allowed_ips: ["203.0.113.7"] }));
      const limits = { daily_limit: null, monthly_limit: null, allowed_ips: ["203.0.113.7"] };
      expect(answer.body.data).toEqual({ ...made, ...limits, name: "New", rate_limit: 9 });
    }
    expect((await rest.withKey(key).refusal(403, ACCOUNT)).details.reason).toBe("ip_not_allowed");
    await rest.ask(patch(made.id, { allowed_ips: null }));
    expect((await rest.withKey(key).ask(ACCOUNT)).headers.get("ratelimit-limit")).toBe("9");
  });

  test("a changed limit holds at once for the keys that descend from the key", async ({ rest, account }) => {
    const body = (count: number) => ({
      recipients: Array(count).fill("+15550100008"),
      from: account.sender,
      body: "Hello",
    });
    const bulk = (count: number) => ({ method: "POST", path: "/messages/bulk", body: body(count) });
    const parent = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Parent", daily_limit: 5 });
    const child = await rest.withKey(parent.plain_key).post<CreatedApiKey>("/api-keys/create", { name: "Child" });
    const own = rest.withKey(child.plain_key);
    expect((await own.ask(bulk(1))).status).toBe(201);
    for (const limit of [2, 4, 3]) {
      await rest.ask(patch(parent.id, { daily_limit: limit }));
      expect((await own.refusal(429, bulk(limit))).details).toMatchObject({ reason: "daily_limit", limit });
    }
    await rest.ask(patch(parent.id, { daily_limit: 5 }));
    expect((await own.ask(bulk(4))).status).toBe(201);
  });

  test("messages that fail at once need no room in a lowered limit", async ({ rest, account }) => {
    const made = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Shop", daily_limit: 2 });
    const send = (recipients: string[]) =>
      rest.withKey(made.plain_key).ask({
        ...{ method: "POST", path: "/messages/bulk" },
        body: { recipients, from: account.sender, body: "Hello" },
      });
    expect((await send(["+15550100008", "+15550100008"])).status).toBe(201);
    await rest.ask(patch(made.id, { daily_limit: 1 }));
    expect((await send(["nobody"])).status).toBe(201);
    expect((await send(["nobody", "+15550100008"])).status).toBe(429);
  });

  test("refuses each wrong field with a 400 that names it, and a key that widens itself with a 403", async ({
    rest,
  }) => {
    const { id, plain_key: key } = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Old", rate_limit: 100 });
    for (const [param, value] of [
      ["name", ""],
      ["rate_limit", 6_001],
      ["daily_limit", 0],
      ["allowed_ips[0]", ["::1"]],
      ["expires_at", "2020-01-01T00:00:00Z"],
    ] as const) {
      const error = await rest.refusal(400, patch(id, { [param.split("[")[0] ?? ""]: value }));
      expect(error.param).toBe(param);
    }
    const own = await rest.withKey(key).refusal(403, patch(id, { rate_limit: 101 }));
    expect(own).toMatchObject({ param: "rate_limit", details: { reason: "limit_not_held" } });
  });

  requiresPermission("keys:write", async (rest) => {
    const { id } = await rest.post<CreatedApiKey>("/api-keys/create", { name: "Old" });
    return patch(id, { name: "New" });
  });

  requiresKey("PATCH", UNKNOWN);

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const foreign = await stranger.rest.refusal(404, patch(account.apiKeyId, { name: "Mine" }));
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "PATCH", path: UNKNOWN, body: {} }));
    expect((await rest.ask(ACCOUNT)).status).toBe(200);
  });
});

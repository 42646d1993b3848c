import { beforeEach, describe, expect, test } from "vitest";
import { type Plan, planOf, statementsOf } from "@/test/database/plans";
import { pool } from "../../core/db";
import { invalidateProviders, providerTable } from "../registry";
import { noteOutcome, returnProbes, takeProbes, updateProviderHealth } from "./provider-health";

test("an idle second costs two statements", async () => {
  await updateProviderHealth();
  invalidateProviders();
  const statements = await statementsOf(updateProviderHealth);
  expect(statements.map(({ name }) => name)).toEqual(["providers.tend", "providers.all"]);
});

test("the last minutes are read through an index, because every worker reads them every second", async () => {
  const { rows } = await pool().query<{ definition: string }>(
    "SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'provider_minutes'",
  );
  expect(rows.map((row) => row.definition)).toContainEqual(expect.stringMatching(/ \(minute\)$/));
});

describe("a half-open breaker whose probes are taken", () => {
  /** Seconds since its wait ended, and since its last probe was taken. */
  const halfOpen = async (endedS: number, takenS: number) => {
    await pool().query(
      `INSERT INTO providers (id, breaker, opens, probes_left, open_until, updated_at) VALUES ('vonage', 'probing', 1, 0,
         now() - $1 * interval '1 second', now() - $2 * interval '1 second')
       ON CONFLICT (id) DO UPDATE SET breaker = 'probing', probes_left = 0, open_until = excluded.open_until,
         updated_at = excluded.updated_at`,
      [endedS, takenS],
    );
    invalidateProviders();
  };
  const open = (provider: string, ageS: number) =>
    pool().query(
      `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id)
       VALUES ('msg_probe', 1, $1, now() - $2 * interval '1 second', 'worker')`,
      [provider, ageS],
    );
  const probesLeft = async () => {
    await updateProviderHealth();
    const { rows } = await pool().query<{ left: number }>(
      "SELECT probes_left AS left FROM providers WHERE id = 'vonage'",
    );
    return rows[0]?.left;
  };

  beforeEach(() => pool().query("DELETE FROM message_attempts WHERE message_id = 'msg_probe'"));

  test("gets new ones soon if no attempt was claimed with them", async () => {
    await halfOpen(20, 11);
    expect(await probesLeft()).toBe(3);
  });

  test("counts neither attempts at other providers nor those from before its wait was over", async () => {
    await halfOpen(20, 11);
    await open("twilio", 5);
    expect(await probesLeft()).toBe(3);
    await pool().query("DELETE FROM message_attempts WHERE message_id = 'msg_probe'");
    await halfOpen(20, 11);
    await open("vonage", 30);
    expect(await probesLeft()).toBe(3);
  });

  test("waits for those that may still be claimed or are under way, but not for ever", async () => {
    await halfOpen(20, 5);
    expect(await probesLeft()).toBe(0);
    await halfOpen(140, 130);
    await open("vonage", 120);
    expect(await probesLeft()).toBe(0);
    await halfOpen(170, 160);
    expect(await probesLeft()).toBe(3);
  });

  test("are looked for among the attempts that are under way, not in the whole table", async () => {
    const [tend] = (await statementsOf(updateProviderHealth)).filter(({ name }) => name === "providers.tend");
    if (!tend) throw new Error("not sent");
    const indexesOf = (plan: Plan): (string | undefined)[] => [
      ...(plan["Relation Name"] === "message_attempts" ? [plan["Index Name"]] : []),
      ...(plan.Plans ?? []).flatMap(indexesOf),
    ];
    expect(new Set(indexesOf(await planOf(tend)))).toEqual(new Set(["message_attempts_under_way"]));
  });
});

test("a breaker that several workers open at once opens once, and waits no longer for it", async () => {
  await pool().query("DELETE FROM providers");
  invalidateProviders();
  const state = (await providerTable()).stateOf("twilio");
  if (!state) throw new Error("There is no such provider.");
  const refusal = { kind: "retryable", code: "401", detail: "Refused.", fault: "account" } as const;
  await Promise.all([1, 2, 3].map(() => noteOutcome(state, refusal, { latencyMs: 1 })));
  const { rows } = await pool().query("SELECT breaker, opens FROM providers WHERE id = 'twilio'");
  expect(rows).toEqual([{ breaker: "open", opens: 1 }]);
});

test("a provider that is probed in vain has been unavailable since its breaker first opened", async () => {
  await pool().query("DELETE FROM providers");
  await pool().query(
    `INSERT INTO providers (id, breaker, opens, open_until, unavailable_since)
     VALUES ('sinch', 'open', 2, now() - interval '1 second', now() - interval '9 minutes')`,
  );
  await updateProviderHealth();
  const { rows } = await pool().query(
    "SELECT breaker, unavailable_since < now() - interval '8 minutes' AS \"isLong\" FROM providers WHERE id = 'sinch'",
  );
  expect(rows).toEqual([{ breaker: "probing", isLong: true }]);
  // Its messages fail after ten minutes, so a provider that works again begins anew.
  await pool().query("UPDATE providers SET breaker = 'closed'");
  await updateProviderHealth();
  expect((await pool().query("SELECT unavailable_since AS since FROM providers WHERE id = 'sinch'")).rows).toEqual([
    { since: null },
  ]);
});

test("a call from before the breaker opened that worked does not close it before its wait is over", async () => {
  await pool().query("DELETE FROM providers");
  await pool().query(
    "INSERT INTO providers (id, breaker, opens, open_until) VALUES ('sinch', 'open', 1, now() + interval '1 minute')",
  );
  const breakerAfterSuccess = async () => {
    invalidateProviders();
    const state = (await providerTable()).stateOf("sinch");
    if (!state) throw new Error("There is no such provider.");
    await noteOutcome(state, { kind: "accepted", providerMessageIds: ["1"] }, { latencyMs: 1 });
    return (await pool().query("SELECT breaker FROM providers WHERE id = 'sinch'")).rows[0]?.breaker;
  };
  expect(await breakerAfterSuccess()).toBe("open");
  await pool().query("UPDATE providers SET breaker = 'probing' WHERE id = 'sinch'");
  expect(await breakerAfterSuccess()).toBe("closed");
});

describe("after a breaker has closed", () => {
  const FAILED = { kind: "retryable", code: "503", detail: "Busy.", fault: "provider" } as const;
  const WORKED = { kind: "accepted", providerMessageIds: ["1"] } as const;

  /** Sets the breaker of Plivo. */
  const set = async (breaker: string) => {
    await pool().query(
      `INSERT INTO providers (id, breaker, opens) VALUES ('plivo', $1, 1)
       ON CONFLICT (id) DO UPDATE SET breaker = excluded.breaker, probes_left = 0`,
      [breaker],
    );
    invalidateProviders();
  };
  const note = async (outcome: typeof FAILED | typeof WORKED, isProbe = false) => {
    const state = (await providerTable()).stateOf("plivo") ?? expect.fail();
    await noteOutcome(state, outcome, { latencyMs: 1, isProbe });
  };
  const breaker = async () =>
    (await pool().query<{ breaker: string }>("SELECT breaker FROM providers WHERE id = 'plivo'")).rows[0]?.breaker;

  test("a probe that failed is one failure of many, as another probe has worked", async () => {
    await set("probing");
    await note(WORKED, true);
    expect(await breaker()).toBe("closed");
    await note(FAILED, true);
    expect(await breaker()).toBe("closed");
  });

  test("the failures that opened it do not count again", async () => {
    await set("closed");
    for (let failures = 0; failures < 20; failures += 1) await note(FAILED);
    expect(await breaker()).toBe("open");
    await set("probing");
    await note(WORKED, true);
    await note(FAILED);
    expect(await breaker()).toBe("closed");
  });

  test("no more probes are returned than a half-open provider gets", async () => {
    await set("probing");
    await returnProbes("plivo", 2);
    await returnProbes("plivo", 2);
    expect(await takeProbes("plivo", 10)).toBe(3);
  });
});

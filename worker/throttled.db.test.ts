import { beforeAll, describe, expect, test } from "vitest";
import {
  accepted,
  BUSY,
  claimed,
  prepareHandOvers,
  record,
  recordAndGoOn,
  statusOf,
  THROTTLED,
  UNKNOWN,
} from "@/e2e/support/hand-overs";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { claimAttempts } from "@/server/messages/dispatch";
import { getMessage } from "@/server/messages/read";

beforeAll(prepareHandOvers);

describe("providers that are asked too much", () => {
  const dispatchesOf = async (id: string) =>
    (
      await pool().query<{ inS: number }>(
        `SELECT extract(epoch FROM run_at - now())::float8 AS "inS" FROM graphile_worker._private_jobs
         WHERE payload::text LIKE '%' || $1 || '%' AND run_at > now() ORDER BY run_at DESC LIMIT 1`,
        [id],
      )
    ).rows[0]?.inS;
  const settle = async (id: string) => {
    const [next] = await claimAttempts([id]);
    if (!next) throw new Error("not claimed");
    return next;
  };

  test("are asked again after pauses that grow, each call an attempt of its own", async () => {
    const message = await claimed();
    const second = await recordAndGoOn(message.first, THROTTLED);
    expect(await record(second, THROTTLED)).toBeNull();
    expect(await statusOf(message)).toBe("pending");
    expect(await dispatchesOf(message.id)).toBeGreaterThan(3);
    expect(await dispatchesOf(message.id)).toBeLessThan(12);

    // The first one throttles once more, the second one fails: the first is asked once more, by itself.
    const third = await settle(message.id);
    expect(third).toMatchObject({ seq: 3, provider: "vonage" });
    const fourth = await recordAndGoOn(third, THROTTLED);
    expect(fourth).toMatchObject({ seq: 4, provider: "twilio" });
    await record(fourth, THROTTLED);
    expect(await dispatchesOf(message.id)).toBeGreaterThan(8);
    const fifth = await settle(message.id);
    const sixth = await recordAndGoOn(fifth, BUSY);
    await record(sixth, THROTTLED);
    const seventh = await settle(message.id);
    expect(seventh).toMatchObject({ seq: 7, provider: "twilio" });
    await record(seventh, accepted(`${message.id}-7`));
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "sent",
      provider: "twilio",
      attempts: 7,
      cost: 0.01,
    });
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("for ten minutes, then the message fails and is refunded", async () => {
    const message = await claimed();
    const second = await recordAndGoOn(message.first, BUSY);
    await pool().query("UPDATE messages SET created_at = created_at - interval '10 minutes' WHERE id = $1", [
      message.id,
    ]);
    await record(second, THROTTLED);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      attempts: 2,
      cost: 0,
      error: { code: "no_provider_available" },
    });
  });

  test("are not asked again about a message that another provider may have", async () => {
    const message = await claimed();
    const second = await recordAndGoOn(message.first, UNKNOWN);
    await record(second, THROTTLED);
    expect(await statusOf(message)).toBe("pending");
    expect(await dispatchesOf(message.id)).toBeUndefined();
    expect(await claimAttempts([message.id])).toEqual([]);
  });
});

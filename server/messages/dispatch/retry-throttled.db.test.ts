import { beforeAll, describe, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { getMessage } from "@/server/messages/read";
import {
  accepted,
  BUSY,
  claimAttempts,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  statusOf,
  THROTTLED,
  UNKNOWN,
} from "@/test/database/attempts";

beforeAll(prepareAttempts);

describe("providers that throttle us", () => {
  /** Seconds between the end of the last attempt and the next dispatch; undefined: there is none. */
  const pauseS = async (id: string) =>
    (
      await pool().query<{ afterS: number }>(
        `SELECT extract(epoch FROM j.run_at - a.ended)::float8 AS "afterS" FROM graphile_worker._private_jobs j,
           (SELECT max(finished_at) AS ended FROM message_attempts WHERE message_id = $1) a
         WHERE j.payload::text LIKE '%' || $1 || '%' AND j.run_at > a.ended ORDER BY j.run_at DESC LIMIT 1`,
        [id],
      )
    ).rows[0]?.afterS;
  const claimAgain = async (id: string) => {
    const [next] = await claimAttempts([id]);
    if (!next) throw new Error("not claimed");
    return next;
  };

  test("are retried after growing pauses, each call as a separate attempt", async () => {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, THROTTLED);
    expect(await record(second, THROTTLED)).toBeNull();
    expect(await statusOf(message)).toBe("pending");
    expect(await pauseS(message.id)).toBeGreaterThanOrEqual(5);
    expect(await pauseS(message.id)).toBeLessThan(60);

    const third = await claimAgain(message.id);
    expect(third).toMatchObject({ seq: 3, provider: "vonage" });
    const fourth = await recordAndAdvance(third, THROTTLED);
    expect(fourth).toMatchObject({ seq: 4, provider: "twilio" });
    await record(fourth, THROTTLED);
    expect(await pauseS(message.id)).toBeGreaterThanOrEqual(10);
    // The first provider fails and the second one throttles again: only the second is retried.
    const fifth = await claimAgain(message.id);
    const sixth = await recordAndAdvance(fifth, BUSY);
    await record(sixth, THROTTLED);
    const seventh = await claimAgain(message.id);
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

  /** Lets ten minutes pass for the message, and for those of its attempts that were throttled. */
  const letTenMinutesPass = async (id: string) => {
    const ago = "created_at = created_at - interval '10 minutes'";
    await pool().query(`UPDATE messages SET ${ago} WHERE id = $1`, [id]);
    await pool().query(
      "UPDATE message_attempts SET started_at = started_at - interval '10 minutes' WHERE message_id = $1 AND fault = 'throttled'",
      [id],
    );
  };

  test("are retried even if the message waited for ten minutes before its first attempt", async () => {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, BUSY);
    await letTenMinutesPass(message.id);
    await record(second, THROTTLED);
    expect(await statusOf(message)).toBe("pending");
    expect(await claimAgain(message.id)).toMatchObject({ seq: 3, provider: "twilio" });
  });

  test("are retried for ten minutes, then the message fails and is refunded", async () => {
    const message = await claimed();
    const first = await recordAndAdvance(message.first, THROTTLED);
    await letTenMinutesPass(message.id);
    await record(first, THROTTLED);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      attempts: 2,
      cost: 0,
      error: { code: "no_provider_available" },
    });
  });

  test("are not retried for a message that another provider may have taken", async () => {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, UNKNOWN);
    await record(second, THROTTLED);
    expect(await statusOf(message)).toBe("pending");
    expect(await pauseS(message.id)).toBeUndefined();
    expect(await claimAttempts([message.id])).toEqual([]);
  });
});

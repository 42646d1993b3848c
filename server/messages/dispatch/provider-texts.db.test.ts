/** Tests of a provider's texts, as an outcome stores and shows them. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { readHistory } from "@/server/messages/history";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import {
  accepted,
  BUSY,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  report,
  statusOf,
  UNKNOWN,
} from "@/test/database/attempts";

beforeAll(prepareAttempts);

describe("an id that the database would refuse", () => {
  const NUL = "\0";
  const long = randomBytes(4_000).toString("hex");

  test.each([
    ["with NUL", (id: string) => `${id}${NUL}1`, (id: string) => `${id}1`],
    ["of kilobytes", (id: string) => id + long, (id: string) => (id + long).slice(0, 255)],
  ])(
    "%s is stored as receipts store it: the message is sent, and so are others in the batch",
    async (_, given, stored) => {
      const [odd, other, inParts] = [await claimed(), await claimed(), await claimed("x".repeat(200))];
      await Promise.all([
        record(other.first, accepted(`${other.id}-1`)),
        record(odd.first, accepted(given(odd.id))),
        record(inParts.first, accepted(given(`a${inParts.id}`), given(`b${inParts.id}`))),
      ]);
      for (const message of [odd, other, inParts]) expect(await statusOf(message)).toBe("sent");
      await applyReceipts("vonage", [report(stored(odd.id), "delivered")]);
      expect(await statusOf(odd)).toBe("delivered");
      await applyReceipts(
        "vonage",
        ["a", "b"].map((part) => report(stored(part + inParts.id), "delivered")),
      );
      expect(await statusOf(inParts)).toBe("delivered");
    },
  );

  test("of a part before an unknown one is stored too", async () => {
    const message = await claimed("x".repeat(200));
    await record(message.first, { ...UNKNOWN, taken: [`${message.id}${NUL}${long}`] });
    await applyReceipts("vonage", [report((message.id + long).slice(0, 255), "delivered")]);
    expect(await statusOf(message)).toBe("sent");
  });
});

test("a provider's own error text is stored, and shown to no customer", async () => {
  const message = await claimed();
  const providerDetail = "The account AC1 was not found.";
  const attempt = await recordAndAdvance(message.first, { ...BUSY, providerDetail });
  await record(attempt, {
    kind: "refused",
    code: "20404",
    detail: "The provider refused the message.",
    providerDetail,
  });
  const { rows } = await pool().query(
    "SELECT provider_detail, fault FROM message_attempts WHERE message_id = $1 ORDER BY seq",
    [message.id],
  );
  expect(rows).toEqual([
    { provider_detail: providerDetail, fault: "provider" },
    { provider_detail: providerDetail, fault: null },
  ]);
  const shown = await getMessage(message.account.actor, message.id);
  expect(shown.error).toEqual({ code: "20404", message: "The provider refused the message.", reason: "unknown" });
  expect(
    (await readHistory(message.account.actor, message.id)).attempts.flatMap((made) => Object.values(made)),
  ).not.toContain(providerDetail);
});

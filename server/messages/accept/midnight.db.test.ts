/** Requests that are accepted while one UTC day ends and the next one begins. */
import { beforeAll, expect, test, vi } from "vitest";
import { prepareAttempts } from "@/test/database/attempts";
import { makeAccount } from "@/test/database/seed";
import { plainRequest } from "../../accounts/idempotency/request";
import { pool } from "../../core/db";
import { sendBulk } from "./send";

const clock = vi.hoisted(() => ({ at: null as number | null }));

vi.mock("../../core/clock", async (importActual) => {
  const actual = await importActual<typeof import("../../core/clock")>();
  const now = () => {
    if (clock.at === null) return actual.now();
    clock.at += 1;
    return new Date(clock.at);
  };
  return { ...actual, now };
});

beforeAll(prepareAttempts);

test("a bulk counts on one day, that by which its cost was compared with the cap", async () => {
  const account = await makeAccount();
  const recipients = Array.from({ length: 20 }, (_, at) => `+141555503${String(at).padStart(2, "0")}`);
  clock.at = Date.UTC(2026, 10, 20) - 10;
  const sent = sendBulk(account.actor, { recipients, from: account.senderId, body: "Hello" }, plainRequest());
  const { messages } = await sent.finally(() => {
    clock.at = null;
  });
  expect(new Set(messages.map(({ created_at: at }) => at.slice(0, 10))).size).toBe(1);
  const { rows } = await pool().query("SELECT messages FROM usage_days WHERE account_id = $1", [account.accountId]);
  expect(rows).toEqual([{ messages: 20 }]);
});

/** A worker whose SECRET_KEY cannot open a provider's settings, while other workers can. */
import { afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { env } from "@/server/core/env";
import { seal } from "@/server/core/seal";
import { invalidateProviders, providerTable } from "@/server/providers/registry";
import { readSettings } from "@/server/providers/settings";
import { newNumber, sendTo, setProvider, twilioOfFile, work } from "@/test/database/twilio";

const own = twilioOfFile();
const OTHER_KEY = "the key of all the other processes, by accident";
let ownKey = "";

/** Lets an operator enter Twilio's settings, in a process whose key is the present one. */
async function enterSettings(): Promise<void> {
  const entered = Object.fromEntries(
    Object.entries(own.twilio.environment).map(([name, value]) => [
      name
        .replace("TWILIO_", "")
        .toLowerCase()
        .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
  readSettings("twilio", entered);
  await pool().query(
    `INSERT INTO providers (id, settings_sealed) VALUES ('twilio', $1)
     ON CONFLICT (id) DO UPDATE SET settings_sealed = excluded.settings_sealed`,
    [seal(ownKey, "provider settings", JSON.stringify(entered))],
  );
  invalidateProviders();
}

function useKey(key: string): void {
  env().SECRET_KEY = key;
  invalidateProviders();
}

beforeAll(() => {
  ownKey = env().SECRET_KEY;
});
afterEach(() => useKey(ownKey));

test("its new messages wait, and a worker with the right key sends them, once each", async () => {
  await enterSettings();
  const to = newNumber();
  const message = await sendTo(to, own.onlyTwilio);
  useKey(OTHER_KEY);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  expect((await providerTable()).stateOf("twilio")?.problem).toMatch(/SECRET_KEY/);
  useKey(ownKey);
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio", attempts: 1 });
  expect(own.twilio.taken.filter((taken) => taken.to === to)).toHaveLength(1);
});

test("it leaves the throttle queue of the provider to others", async () => {
  await enterSettings();
  await setProvider("is_drained", true);
  const message = await sendTo(newNumber(), own.onlyTwilio);
  await work();
  await setProvider("is_drained", false);
  useKey(OTHER_KEY);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  useKey(ownKey);
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio" });
});

test("it sends by the next provider of a chain, without a failed attempt", async () => {
  await enterSettings();
  const message = await sendTo(newNumber(), own.twilioFirst);
  useKey(OTHER_KEY);
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "sandbox", attempts: 1 });
});

/** A worker without the variables of a provider that a web process routes messages to. */

import { afterEach, expect, test, vi } from "vitest";
import * as logs from "@/server/core/log";
import { invalidateProviders } from "@/server/providers/registry";
import { moveClockAhead } from "@/test/clock";
import { newNumber, sendTo, setProvider, twilioOfFile, work } from "@/test/database/twilio";

const own = twilioOfFile();

/** Leaves these variables of Twilio. */
function keepOnly(...names: string[]): void {
  for (const name of Object.keys(own.twilio.environment)) if (!names.includes(name)) delete process.env[name];
  invalidateProviders();
}

afterEach(() => {
  Object.assign(process.env, own.twilio.environment);
  vi.restoreAllMocks();
});

/** The lines that are logged about missing settings from now on. */
function listen(): () => unknown[] {
  const log = vi.spyOn(logs, "log");
  return () => log.mock.calls.filter(([, event]) => event === "provider.not_configured");
}

test("its log names the provider, and the setting that is missing", async () => {
  const first = await sendTo(newNumber(), own.onlyTwilio);
  const second = await sendTo(newNumber(), own.onlyTwilio);
  keepOnly("TWILIO_ACCOUNT_SID");
  const heard = listen();
  await work();
  for (const message of [first, second]) expect(await message.read()).toMatchObject({ status: "failed", cost: 0 });
  expect(heard()).toEqual([
    [
      "error",
      "provider.not_configured",
      {
        provider: "twilio",
        problem: "authToken: is missing",
        see: "docs/operations.md, A process lacks the settings of a provider",
      },
    ],
  ]);
});

test("so it does when messages of the provider wait", async () => {
  await setProvider("is_drained", true);
  await sendTo(newNumber(), own.onlyTwilio);
  await work();
  keepOnly();
  // It logs the same only once a minute.
  moveClockAhead(120_000);
  const heard = listen();
  await work();
  expect(heard()).toEqual([["error", "provider.not_configured", expect.objectContaining({ problem: null })]]);
});

import { expect, test, vi } from "vitest";
import { log } from "../core/log";
import { reportFrom } from "./http/callback-content";
import { logUnlisted } from "./unlisted-codes";

vi.mock("../core/log", () => ({ log: vi.fn() }));

const failed = (code: string, detail: string | null, providerDetail: string | null = null) =>
  reportFrom({ providerMessageId: "m1", reference: null, status: "failed", code, detail, providerDetail });

test("a code that is in no table is logged once, with the provider's text, which customers never see", () => {
  const unlisted = failed("77", null, "quota of account 4711");
  expect(JSON.stringify({ ...unlisted, providerDetail: "" })).not.toContain("4711");
  logUnlisted("vonage", [unlisted, unlisted, failed("3", "The number does not exist.")]);
  logUnlisted("vonage", [unlisted]);
  expect(vi.mocked(log).mock.calls).toEqual([
    ["warn", "provider.unlisted_code", { provider: "vonage", code: "77", said: "Quota of account 4711." }],
  ]);
});

test("of a long code only the beginning is kept and logged, once, and of a long text too", () => {
  vi.mocked(log).mockClear();
  const long = (end: string) => failed(`${"c".repeat(60_000)}${end}`, null, "t".repeat(60_000));
  logUnlisted("africastalking", [long("1"), long("2")]);
  expect(vi.mocked(log).mock.calls).toEqual([
    [
      "warn",
      "provider.unlisted_code",
      { provider: "africastalking", code: "c".repeat(100), said: `T${"t".repeat(499)}` },
    ],
  ]);
});

import { encode } from "next-auth/jwt";
import { beforeEach, expect, test } from "vitest";
import { env } from "../core/env";
import { knownDevice, knownDeviceCookie } from "./sessions/known-device";
import { sessionOfCookies } from "./sessions/session-cookie";

const [FIRST, SECOND, OTHER] = ["the first key", "the second key", "a stranger's key"].map((key) =>
  key.padEnd(40, "."),
);

beforeEach(() => {
  process.env.DATABASE_URL ??= "postgresql://localhost/none";
  process.env.SECRET_KEY ??= FIRST;
});

const useKeys = (present = "", ...former: string[]) => {
  env().SECRET_KEY = present;
  env().SECRET_KEY_PREVIOUS = former;
};

const cookieOf = async (secret = ""): Promise<string> =>
  `next-auth.session-token=${await encode({ token: { sessionId: "ses_1" }, secret })}`;

test("cookies of every key of the ring open, others do not", async () => {
  const [first, second, other] = await Promise.all([cookieOf(FIRST), cookieOf(SECOND), cookieOf(OTHER)]);
  useKeys(FIRST);
  expect([await sessionOfCookies(first), await sessionOfCookies(second)]).toEqual(["ses_1", null]);
  useKeys(SECOND, FIRST as string);
  for (const cookie of [first, second]) expect(await sessionOfCookies(cookie)).toBe("ses_1");
  expect(await sessionOfCookies(other)).toBeNull();
  useKeys(SECOND);
  expect(await sessionOfCookies(first)).toBeNull();
});

test("known devices stay known", () => {
  useKeys(FIRST);
  const cookie = knownDeviceCookie("ann@example.com", "device").split(";")[0] ?? "";
  useKeys(SECOND, FIRST as string);
  expect(knownDevice(cookie)).toEqual({ deviceId: "device", email: "ann@example.com" });
  useKeys(SECOND);
  expect(knownDevice(cookie)).toBeNull();
});

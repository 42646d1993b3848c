import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY_MS } from "../core/clock";
import type { ReceiptRotation } from "./receipt-url";
import type { ProviderId } from "./schema";

const START = Date.parse("2026-03-01T12:00:00Z");

Object.assign(process.env, {
  DATABASE_URL: "postgresql://unused",
  SECRET_KEY: "0".repeat(40),
  PUBLIC_URL: "https://sms.example.test",
  RECEIPT_PATH_DAYS: "7",
});
const { isReceiptToken, isRotatable, receiptUrlFor, receiptUrlOf } = await import("./receipt-url");

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

const tokenOf = (url: string): string => new URL(url).pathname.split("/").at(-1) ?? "";
const UNROTATED: ReceiptRotation = { receiptRotation: 0, isFormerReceiptUrlValid: false };
const isToken = (provider: ProviderId, token: string, rotation = UNROTATED) =>
  isReceiptToken(provider, token, async () => rotation);

describe.each(["infobip", "sinch", "vonage"] as const)("the URL that is sent with a message to %s", (provider) => {
  const urlNow = () => receiptUrlFor(provider, "msg_1-1");

  test("has the reference, and changes every day", () => {
    const first = urlNow();
    expect(new URL(first).searchParams.get("ref")).toBe("msg_1-1");
    expect(urlNow()).toBe(first);
    vi.setSystemTime(START + DAY_MS);
    expect(urlNow()).not.toBe(first);
  });

  test("is valid for seven days after the last day on which it was sent, and then no longer", async () => {
    const token = tokenOf(urlNow());
    for (const days of [0, 1, 7]) {
      vi.setSystemTime(START + days * DAY_MS);
      expect(await isToken(provider, token), `${days} days later`).toBe(true);
    }
    vi.setSystemTime(START + 8 * DAY_MS);
    expect(await isToken(provider, token)).toBe(false);
  });

  test("is valid in a process whose clock is behind the sender's at midnight, but not for later days", async () => {
    vi.setSystemTime(START + DAY_MS);
    const tomorrow = tokenOf(urlNow());
    vi.setSystemTime(START + 2 * DAY_MS);
    const later = tokenOf(urlNow());
    vi.setSystemTime(START);
    expect([await isToken(provider, tomorrow), await isToken(provider, later)]).toEqual([true, false]);
  });

  test("is not accepted with another day written into it, or at another provider", async () => {
    const token = tokenOf(urlNow());
    const [day = "", secret = ""] = token.split(".");
    expect(await isToken(provider, `${Number(day) - 1}.${secret}`)).toBe(false);
    expect(await isToken("africastalking", token)).toBe(false);
    for (const broken of [`${day}.`, `.${secret}`, `${day}.${secret}x`, secret]) {
      expect(await isToken(provider, broken), broken).toBe(false);
    }
  });
});

test("carriers that sign their callbacks get the same URL every day", async () => {
  for (const provider of ["twilio", "plivo", "telnyx", "messagebird"] as const) {
    const url = receiptUrlFor(provider, "msg_1-1");
    vi.setSystemTime(Date.now() + 100 * DAY_MS);
    expect(receiptUrlFor(provider, "msg_1-1")).toBe(url);
    expect(await isToken(provider, tokenOf(url))).toBe(true);
    expect(isRotatable(provider)).toBe(false);
  }
});

describe("the URL that is entered in a provider's console", () => {
  const [before, first, second] = [0, 1, 2].map((rotation) => tokenOf(receiptUrlOf("clickatell", rotation)));

  test("does not change on its own", async () => {
    vi.setSystemTime(START + 1_000 * DAY_MS);
    expect(tokenOf(receiptUrlOf("clickatell", 0))).toBe(before);
    expect(await isToken("clickatell", before ?? "")).toBe(true);
  });

  test("changes with a rotation, and the previous one stays valid for its days", async () => {
    const rotated = (isFormerReceiptUrlValid: boolean) => ({ receiptRotation: 2, isFormerReceiptUrlValid });
    const accepted = (isFormerValid: boolean) =>
      Promise.all([before, first, second].map((token) => isToken("clickatell", token ?? "", rotated(isFormerValid))));
    expect(await accepted(true)).toEqual([false, true, true]);
    expect(await accepted(false)).toEqual([false, false, true]);
  });
});

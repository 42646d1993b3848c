import { expect, test, vi } from "vitest";
import { compress } from "../compress";
import { ORIGINS_MAX, textPerOrigin } from "./text-per-origin";

const long = (origin: string) => `${origin} `.repeat(1_000);
const originsOf = (count: number) => Array.from({ length: count }, (_, at) => `https://${at}.example.com`);

test("a text is made once for many requests of an origin", async () => {
  const make = vi.fn(long);
  const textAt = textPerOrigin(make);
  const texts = await Promise.all(Array.from({ length: 50 }, () => textAt("https://sms.example.com")));
  expect(make).toHaveBeenCalledTimes(1);
  expect(new Set(texts).size).toBe(1);
  expect((await textAt("https://other.example.com")).body).toBe(long("https://other.example.com"));
});

test("a text is compressed once in each coding", async () => {
  const textAt = textPerOrigin(long);
  const ask = async (coding: string) =>
    (await compress({ headers: {}, ...(await textAt("https://sms.example.com")) }, coding)).body;
  const [first, second] = await Promise.all([ask("br"), ask("br")]);
  expect(first).toBe(second);
  expect(await ask("br")).toBe(first);
  expect(await ask("gzip")).toBe(await ask("gzip"));
  expect(await ask("gzip")).not.toBe(first);
});

test("only texts of the latest origins are kept, however many there are", async () => {
  const make = vi.fn(long);
  const textAt = textPerOrigin(make);
  const [first = "", second = "", ...others] = originsOf(ORIGINS_MAX);
  for (const origin of [first, second, ...others, first, "https://new.example.com"]) await textAt(origin);
  make.mockClear();
  await textAt(first);
  expect(make).not.toHaveBeenCalled();
  await textAt(second);
  expect(make).toHaveBeenCalledTimes(1);
});

test("a text that could not be made is made at the next request", async () => {
  const make = vi.fn(long).mockImplementationOnce(() => {
    throw new Error("The file is not there yet.");
  });
  const textAt = textPerOrigin(make);
  const ask = () => textAt("https://sms.example.com").then(({ body }) => body.length > 0);
  await expect(ask()).rejects.toThrow("not there yet");
  expect(await ask()).toBe(true);
  expect(make).toHaveBeenCalledTimes(2);
});

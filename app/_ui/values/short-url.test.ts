import { expect, test } from "vitest";
import { shortUrl } from "./short-url";

test("a long URL is shortened in its middle; one of 80 characters is not", () => {
  const fits = `https://example.com/${"a".repeat(60)}`;
  expect(shortUrl(fits)).toBe(fits);
  expect(shortUrl(`https://example.com/${"a".repeat(300)}?tenant=4711`)).toBe(
    `https://example.com/${"a".repeat(35)}…${"a".repeat(12)}?tenant=4711`,
  );
  expect([...shortUrl("😀".repeat(200))]).toHaveLength(80);
});

import { afterEach, expect, test, vi } from "vitest";
import { EmailAddress, urlUpTo } from "./wire";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a URL that is too long is refused for its length, and never parsed", () => {
  let parsed = 0;
  vi.stubGlobal(
    "URL",
    class extends URL {
      constructor(...given: ConstructorParameters<typeof URL>) {
        parsed += 1;
        super(...given);
      }
    },
  );
  const form = urlUpTo(2_048, { protocol: /^https?$/ });
  const refused = form.safeParse(`https://${"é".repeat(200_000)}`);
  expect(refused.error?.issues.map(({ code }) => code)).toEqual(["too_big"]);
  expect(parsed).toBe(0);
  expect(form.safeParse("https://example.com/").success).toBe(true);
  expect(parsed).toBe(1);
});

test("a URL of another protocol and an address that is none are refused", () => {
  expect(urlUpTo(2_048, { protocol: /^https?$/ }).safeParse("ftp://example.com/").success).toBe(false);
  expect(EmailAddress.safeParse("somebody").success).toBe(false);
  expect(EmailAddress.safeParse("somebody@example.com").success).toBe(true);
  expect(EmailAddress.safeParse(`a@${"b".repeat(300)}.com`).error?.issues.map(({ code }) => code)).toEqual(["too_big"]);
});

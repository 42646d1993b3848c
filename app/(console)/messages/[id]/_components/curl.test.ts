import { expect, test } from "vitest";
import { curlOf } from "./curl";

const message = { from: "SHOP", to: "+14155550123", body: "It's here", metadata: null, validity_period: null };

const dataOf = (curl: string): unknown => JSON.parse((/-d '(.*)'$/s.exec(curl)?.[1] ?? "").replaceAll("'\\''", "'"));

test("the request has what the message was sent with, and nothing else", () => {
  expect(dataOf(curlOf("https://sms.example", { message, reference: null }))).toEqual({
    from: "SHOP",
    to: "+14155550123",
    body: "It's here",
  });
  const more = { ...message, metadata: { order: "4711" }, validity_period: 600 };
  expect(dataOf(curlOf("https://sms.example", { message: more, reference: "r-1" }))).toMatchObject({
    reference: "r-1",
    metadata: { order: "4711" },
    validity_period: 600,
  });
});

test("no character of the text ends the argument of the shell", () => {
  const curl = curlOf("https://sms.example", {
    message: { ...message, body: "'; rm -rf ~ $(x) `y` \n\\" },
    reference: null,
  });
  expect(curl).toContain(`"body":"'\\''; rm -rf ~ $(x) \`y\` \\n\\\\"`);
  expect(curl).toMatch(/^curl -X POST https:\/\/sms\.example\/api\/v1\/messages\/send \\\n/);
});

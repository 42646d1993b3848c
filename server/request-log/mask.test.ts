import { expect, test } from "vitest";
import { newPlainKey } from "../api-keys/secret";
import { newSigningSecret } from "../webhooks/delivery/signature";
import { maskBody, maskQuery, withoutSecrets, withoutTexts } from "./mask";

const masked = (body: unknown, keepsTexts = false) => JSON.parse(maskBody(body, keepsTexts));

test("of a text only its length is kept, unless texts may be", () => {
  const body = { to: "+14155550123", from: "ACME", body: "Your code is 4711" };
  expect(masked(body)).toEqual({ ...body, body: "[masked: 17 characters]" });
  expect(masked(body, true)).toEqual(body);
  expect(masked({ recipients: [{ to: "+1", body: "4711" }] })).toEqual({
    recipients: [{ to: "+1", body: "[masked: 4 characters]" }],
  });
});

test("texts that were kept are deleted wherever they are, and so is what they are filled with", () => {
  const body = {
    to: "+1",
    Body: "4711",
    metadata: { order: "7" },
    variables: [{ name: "Ann" }],
    more: [{ text: "x" }],
  };
  for (const keepsTexts of [true, false]) {
    expect(JSON.parse(withoutTexts(maskBody(body, keepsTexts)))).toEqual({
      ...body,
      Body: "[deleted]",
      variables: "[deleted]",
      more: [{ text: "[deleted]" }],
    });
  }
});

test("values that a text is filled with are texts, whichever they are", () => {
  const variables = [
    { name: "Ann", c: "4711 secret otp" },
    { code: 123_456, isNew: true, none: null },
  ];
  expect(masked({ recipients: ["+14155550123"], body: "{{name}}", variables })).toEqual({
    recipients: ["+14155550123"],
    body: "[masked: 8 characters]",
    variables: [
      { name: "[masked: 3 characters]", c: "[masked: 15 characters]" },
      { code: "[masked: 6 characters]", isNew: true, none: null },
    ],
  });
  expect(masked({ variables }, true)).toEqual({ variables });
});

test("a text is masked in a request that is wrong, too: in another shape, or under a name of another service", () => {
  expect(masked({ body: ["4711"], text: { en: "4711" }, message: 4711, Body: "4711", content: "4711" })).toEqual({
    body: ["[masked: 4 characters]"],
    text: { en: "[masked: 4 characters]" },
    message: "[masked: 4 characters]",
    Body: "[masked: 4 characters]",
    content: "[masked: 4 characters]",
  });
});

test("texts and secrets are masked in a query", () => {
  const query =
    "to=%2B14155550123&body=Your+code%204711&Text=4711&api_token=t&variables%5Bc%5D=4711&metadata%5Ba%5D=b&%zz";
  expect(maskQuery(query, false)).toBe(
    "to=%2B14155550123&body=[masked]&Text=[masked]&api_token=[masked]&variables%5Bc%5D=[masked]&metadata%5Ba%5D=b&%zz",
  );
  expect(maskQuery("body=4711&api_token=t", true)).toBe("body=4711&api_token=[masked]");
  expect(maskQuery("", false)).toBe("");
});

test("no secret is kept, however it is asked", () => {
  const body = { signing_secret: "s3", nested: { Password: "p", access_token: { deep: "t" } }, plain_key: "k" };
  for (const keepsTexts of [false, true]) {
    expect(masked(body, keepsTexts)).toEqual({
      signing_secret: "[masked]",
      nested: { Password: "[masked]", access_token: "[masked]" },
      plain_key: "[masked]",
    });
  }
  expect(masked({ url: "https://user:pass@example.com/hook" })).toEqual({ url: "https://[masked]@example.com/hook" });
});

test("however large a body is, what is kept of it is small", () => {
  const recipients = Array.from({ length: 1_000 }, (_, at) => `+1415555${at}`);
  expect(masked({ recipients }).recipients).toHaveLength(21);
  expect(masked({ recipients }).recipients.at(-1)).toBe("[980 more]");
  expect(masked({ note: "x".repeat(10_000) }).note).toHaveLength(500 + "… [10000 characters]".length);
  const wide = Object.fromEntries(recipients.map((number) => [number, 1]));
  expect(Object.keys(masked(wide))).toHaveLength(51);
  let deep: unknown = "end";
  for (let depth = 0; depth < 100; depth += 1) deep = { deep };
  expect(maskBody(deep, false).length).toBeLessThan(500);
});

test("what is kept can be stored", () => {
  expect(masked({ note: "a\0b", "c\0d": ["\0"] }, true)).toEqual({ note: "ab", cd: [""] });
  expect(masked({ "bo\0dy": "4711", "pass\0word": "p" })).toEqual({
    body: "[masked: 4 characters]",
    password: "[masked]",
  });
  const spelled = { note: "the escape \\u0000", "\\u0000": "\\\\u0000" };
  expect(masked(spelled, true)).toEqual(spelled);
  expect(masked({ note: `${"x".repeat(499)}😀` }, true).note.isWellFormed()).toBe(true);
});

test("our keys and signing secrets are masked wherever they are, even in part", () => {
  for (const secret of [newPlainKey(), newPlainKey(true), newSigningSecret()]) {
    const encoded = encodeURIComponent(secret).replaceAll("_", "%5F");
    for (const text of [secret, secret.slice(0, 20), encoded]) {
      expect(withoutSecrets(`/api-keys/${text}`)).toBe("/api-keys/[masked]");
      expect(maskQuery(`key=${text}&page=2`, false)).toBe("key=[masked]&page=2");
      expect(maskQuery(`page=2&${text}`, true)).toBe("page=2&[masked]");
    }
    const body = {
      name: `Shop ${secret}`,
      [secret]: { note: [`Bearer ${secret}`] },
      long: `${"x".repeat(490)}${secret}`,
    };
    const logged = maskBody(body, true);
    expect(JSON.parse(logged)).toMatchObject({ name: "Shop [masked]", "[masked]": { note: ["Bearer [masked]"] } });
    expect(logged).not.toContain(secret.slice(0, 10));
  }
});

test("keys of other services are masked by their names, ids of keys are not", () => {
  expect(
    masked({ api_key: "x", apiKey: "x", "API-Key": "x", api_key_id: "key_1", apiKeyId: "key_1", key: "k" }),
  ).toEqual({
    ...{ api_key: "[masked]", apiKey: "[masked]", "API-Key": "[masked]" },
    ...{ api_key_id: "key_1", apiKeyId: "key_1", key: "k" },
  });
  expect(maskQuery("api_key=x&api_key_id=key_1", true)).toBe("api_key=[masked]&api_key_id=key_1");
});

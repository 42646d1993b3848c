import { expect, test } from "vitest";
import { startStub, success } from "../stub-service";
import { MessagingClient } from "./client";

async function serve() {
  const { baseUrl, seen } = await startStub(() => success({ id: "msg_1" }, 201));
  return { seen, client: new MessagingClient({ baseUrl, apiKey: "ds_live_test" }) };
}

const message = { to: "+14155550123", from: "DEMO", body: "Hello" };

test("a key that no header takes is refused, and not quoted", () => {
  for (const apiKey of ["ds_live_a\nb", "ds_live_ключ"]) {
    const make = () => new MessagingClient({ baseUrl: "http://localhost", apiKey });
    expect(make).toThrow(new TypeError("The API key has characters that no key has."));
  }
});

test("a key or base URL that is missing or wrong is named", () => {
  const absent = undefined as unknown as string;
  for (const [baseUrl, apiKey, message] of [
    ["http://localhost", absent, "The API key is missing."],
    ["http://localhost", " ", "The API key is missing."],
    [absent, "ds_live_test", "The base URL is missing."],
    ["", "ds_live_test", "The base URL is missing."],
    ["localhost:3000/api/v1", "ds_live_test", "The base URL must be one of http:// or https://."],
  ] as const) {
    expect(() => new MessagingClient({ baseUrl, apiKey })).toThrow(new TypeError(message));
  }
});

test("a line end behind a key, as a file has one, does not count", async () => {
  const { baseUrl, seen } = await startStub(() => success({}));
  await new MessagingClient({ baseUrl, apiKey: "ds_live_test\r\n" }).account.get();
  expect(seen[0]?.headers.authorization).toBe("Bearer ds_live_test");
});

test.each(["", "/", "//", " ", "\n", "/\r\n"])("%j behind a base URL does not count", async (end) => {
  const { baseUrl, seen } = await startStub(() => success({}));
  await new MessagingClient({ baseUrl: ` ${baseUrl}${end}`, apiKey: "ds_live_test" }).account.get();
  expect(seen[0]?.url).toBe("/api/v1/account");
});

test("times of a body may be Dates", async () => {
  const { client, seen } = await serve();
  const at = new Date("2026-01-31T12:00:00Z");
  await client.messages.send({ ...message, send_at: at });
  await client.apiKeys.create({ name: "Shop", expires_at: at });
  await client.webhooks.recover("whe_1", { since: at });
  const sent = seen.map(({ body }) => JSON.parse(body));
  expect(sent).toMatchObject([
    { send_at: at.toISOString() },
    { expires_at: at.toISOString() },
    { since: at.toISOString() },
  ]);
});

test.each<[string, (client: MessagingClient) => Promise<unknown>, string]>([
  [
    "a time",
    (client) => client.messages.send({ ...message, send_at: new Date("soon") }),
    "send_at is not a valid date",
  ],
  [
    "a limit",
    (client) => client.apiKeys.create({ name: "Shop", daily_limit: Number(undefined) }),
    "daily_limit is NaN",
  ],
  ["a number", (client) => client.messages.send({ ...message, validity_period: 1 / 0 }), "validity_period is Infinity"],
])(
  "%s that JSON would write as null, which means none, is refused before anything is sent",
  async (_, call, problem) => {
    const { client, seen } = await serve();
    await expect(call(client)).rejects.toMatchObject({ name: "TypeError", message: `The field ${problem}.` });
    expect(seen).toEqual([]);
  },
);

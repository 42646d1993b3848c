/** The command `mcp` as an assistant runs it: in a separate process, over standard input and output. */
import { startAssistant } from "@/sdk/assistant";
import { expect, test } from "../test";

test("an assistant with a test key sends, follows and lists", async ({ service, account, operator }) => {
  const { call, stop } = await startAssistant(`${service.url}/api/v1`, await operator.makeTestKey(account));
  try {
    const [{ sender_id: from }] = await call("list_senders");
    const text = { to: "+15550100009", from, body: "Hello" };
    expect(await call("estimate_message", text)).toMatchObject({ segments: 1, cost: 0, refusals: [] });
    const { id } = await call("send_message", { ...text, reference: "order-1" });
    const found = () => call("get_message", { id });
    await expect.poll(async () => (await found()).message.status).toBe("undelivered");
    expect((await found()).timeline.entries.length).toBeGreaterThan(2);
    const { messages, total } = await call("list_messages", { status: "undelivered" });
    expect([messages[0].id, total]).toEqual([id, 1]);
    expect(await call("get_balance")).toMatchObject({ livemode: false });
    await expect(call("send_message", { ...text, to: "4155550123" })).rejects.toThrow(
      /^400 to: must be a phone number/,
    );
  } finally {
    await stop();
  }
});

test("a live key sends only where the person allowed it", async ({ service, account }) => {
  const careful = await startAssistant(`${service.url}/api/v1`, account.apiKey);
  await careful.stop();
  expect(careful.tools).not.toContain("send_message");
  const allowed = await startAssistant(`${service.url}/api/v1`, account.apiKey, "--live");
  try {
    const sent = await allowed.call("send_message", { to: "+14155550123", from: account.sender, body: "Hello" });
    expect(sent).toMatchObject({ object: "message", cost: 0.01 });
  } finally {
    await allowed.stop();
  }
});

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Observes a request that is carried out, one that is refused early, and a job in a process of its own, and returns what it logs. */
function logOf(settings: Record<string, string>): Record<string, unknown>[] {
  const code = `
    const { observeRequest } = await import("./server/observability/requests.ts");
    const { noteJob } = await import("./server/observability/tasks.ts");
    const asked = { method: "POST", header: () => "Bearer sk_live_topsecret", text: "Meet me at noon" };
    const facts = { operation: "messages.send", requestId: "req_1", accountId: "acc_1", keyId: "key_1" };
    const body = '{"success":true,"data":{"id":"msg_42","body":"Meet me at noon","to":"+15550100001"}}';
    const headers = { "request-id": "req_1", "x-request-id": "checkout-4711" };
    await observeRequest(asked, async () => ({ response: { status: 201, headers, body }, facts }));
    const early = { "request-id": "req_2", "x-request-id": "checkout-4712" };
    await observeRequest(asked, async () => ({ response: { status: 401, headers: early, body: "" }, facts: null }));
    const payload = { messageIds: ["msg_42", "msg_43", "msg_44", "msg_45"] };
    noteJob({ task: "dispatch_messages", id: "7", attempt: 1, payload, startedAt: performance.now() }, "done");`;
  const text = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
    encoding: "utf8",
    env: {
      ...process.env,
      DATABASE_URL: "postgresql://nobody@localhost/none",
      SECRET_KEY: "k".repeat(32),
      LOG_LEVEL: "info",
      ...settings,
    },
  });
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("with LOG_REQUESTS a request and a job are one line each, linked by the message, without texts, numbers and keys", () => {
  const lines = logOf({ LOG_REQUESTS: "true" });
  const request = {
    level: "info",
    event: "http.request",
    request_id: "req_1",
    client_request_id: "checkout-4711",
    operation: "messages.send",
    method: "POST",
    status: 201,
    account_id: "acc_1",
    key_id: "key_1",
    resource_id: "msg_42",
  };
  const refused = { request_id: "req_2", client_request_id: "checkout-4712", status: 401 };
  const job = {
    level: "info",
    event: "job.run",
    job: "dispatch_messages",
    id: "7",
    attempt: 1,
    outcome: "done",
    items: 4,
    ids: ["msg_42", "msg_43", "msg_44"],
  };
  expect(lines).toMatchObject([request, refused, job]);
  expect(JSON.stringify(lines)).not.toMatch(/noon|topsecret|15550100001/);
});

test("without it nothing is written at level info, and all lines at level debug", () => {
  expect(logOf({})).toEqual([]);
  expect(logOf({ LOG_LEVEL: "debug" }).map(({ level, event }) => [level, event])).toEqual([
    ["debug", "http.request"],
    ["debug", "http.request"],
    ["debug", "job.run"],
  ]);
});

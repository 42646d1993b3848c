import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Runner } from "graphile-worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import { handleRestNode } from "@/server/api/node-door";
import { pool } from "@/server/core/db";
import { shutDown } from "@/server/core/process";
import { inSpan } from "@/server/core/spans";
import { traceOf } from "@/server/observability/subject-trace";
import { startTracing } from "@/server/observability/tracing";
import { takeCallback } from "@/server/providers/store-callback";
import { startRunner } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { startWebhook, type TestWebhook } from "@/test/database/webhooks";
import { type Received, startReceiver } from "@/test/network/receiver";
import { dispatchTasks, receiptTasks, webhookTasks } from "./tasks";

type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  links?: { traceId: string; spanId: string }[];
};

let collector: Awaited<ReturnType<typeof startReceiver>>;
let webhook: TestWebhook;
let runner: Runner;
const api = createServer((request, response) => void handleRestNode(request, response));

const spansIn = ({ body }: Received): OtlpSpan[] =>
  (JSON.parse(body.toString()) as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] }).resourceSpans.flatMap(
    ({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans),
  );
const spans = (): OtlpSpan[] => collector.received.flatMap(spansIn);
const links = (span: OtlpSpan | undefined): string[] => (span?.links ?? []).map(({ spanId }) => spanId);

const startWorker = () => startRunner({ ...dispatchTasks, ...receiptTasks, ...webhookTasks });

/** The first span of this name, once it has ended and is exported. */
async function exported(name: string): Promise<OtlpSpan | undefined> {
  const find = () => spans().find((span) => span.name === name);
  await expect.poll(find).toBeDefined();
  return find();
}

beforeAll(async () => {
  collector = await startReceiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_BSP_EXPORT_TIMEOUT: "600000",
    OTEL_EXPORTER_OTLP_TIMEOUT: "600000",
  });
  await startTracing("worker");
  await makeRoute();
  webhook = await startWebhook();
  runner = await startWorker();
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await runner.stop().catch(() => undefined);
  api.close();
  await webhook.receiver.close();
  await collector.close();
});

const CALLER = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const TO = "+15550100001";
const TEXT = "The code is 918273";

async function send(): Promise<string> {
  const { account } = webhook;
  const answer = await fetch(`http://127.0.0.1:${(api.address() as AddressInfo).port}/api/v1/messages/send`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${account.plainKey}`,
      "content-type": "application/json",
      traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
    },
    body: JSON.stringify({ to: TO, from: account.senderId, body: TEXT }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

test("a send is one trace from the provider to the webhook, linked with the caller's request, without any text, number or secret", async () => {
  const id = await send();
  const root = traceOf(id);
  const own = () => spans().filter(({ traceId }) => traceId === root.traceId);
  await expect
    .poll(() =>
      own()
        .map(({ name }) => name)
        .sort(),
    )
    .toEqual([
      ...["message", "message delivered", "message sent", "provider sandbox"],
      ...["webhook message.delivered", "webhook message.sent"],
    ]);
  const request = await exported("messages.send");
  expect(request).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId });
  const of = (name: string) => own().find((span) => span.name === name);
  expect(of("message")?.spanId).toBe(root.spanId);
  expect(links(of("message"))).toEqual([request?.spanId]);
  expect(links(request)).toEqual([root.spanId]);
  for (const span of own()) if (span.name !== "message") expect(span.parentSpanId).toBe(root.spanId);
  // A job and the spans that it carries are linked both ways.
  const dispatch = await exported("job dispatch_messages");
  expect(links(dispatch)).toEqual([root.spanId]);
  expect(links(of("provider sandbox"))).toEqual([dispatch?.spanId]);
  for (const [step, job] of [
    ["message sent", /^job dispatch_messages$/],
    // A receipt that arrives before the outcome is joined with it, or later.
    ["message delivered", /^job (apply_receipts|join_receipts|dispatch_messages)$/],
  ] as const) {
    const linked = () => spans().filter(({ spanId }) => links(of(step)).includes(spanId));
    await expect.poll(() => linked().map(({ name }) => name), { message: step }).toEqual([expect.stringMatching(job)]);
  }
  const delivering = () => spans().flatMap(({ name, spanId }) => (name === "job deliver_events" ? [spanId] : []));
  await expect.poll(delivering).toContain(links(of("webhook message.sent"))[0]);

  const { account, endpoint, receiver } = webhook;
  const everything = collector.received.map(({ body }) => body.toString()).join("\n");
  for (const secret of [TEXT, TO, TO.slice(1), account.plainKey, endpoint.signing_secret, receiver.url]) {
    expect(everything).not.toContain(secret);
  }
  // The customer's server gets no trace context.
  expect(receiver.received.length).toBeGreaterThan(0);
  for (const { headers } of receiver.received) expect(headers).not.toHaveProperty("traceparent");
});

test("a callback is linked with the job that applies it, and without a trace its job carries none", async () => {
  const report = { status: "delivered", reference: null, code: null, detail: null, occurredAt: null } as const;
  const content = (providerMessageId: string) => ({ reports: [{ ...report, providerMessageId }], inbound: [] });
  const traced = inSpan(
    () => ({ name: "receipts", kind: "server" }),
    () => takeCallback("twilio", content("SM-traced"), []),
  );
  expect(await traced).toBe("taken");
  const callback = () => spans().find(({ name }) => name === "receipts")?.spanId ?? "none";
  const jobLinks = () => spans().flatMap((span) => (span.name === "job apply_receipts" ? links(span) : []));
  await expect.poll(() => jobLinks().includes(callback())).toBe(true);
  await runner.stop();
  await takeCallback("twilio", content("SM-plain"), []);
  const { rows } = await pool().query<{ payload: object }>(
    "SELECT payload FROM graphile_worker._private_jobs WHERE payload::text LIKE '%SM-plain%'",
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.payload).not.toHaveProperty("traces");
});

test("a hanging collector delays neither sends nor the end of the process for long", async () => {
  collector.respondWith(() => undefined);
  const answered = collector.received.length;
  const own = await startWorker();
  await send();
  await expect.poll(() => collector.received.length).toBeGreaterThan(answered);
  const id = await send();
  const events = () =>
    webhook.receiver.received
      .map(({ body }) => JSON.parse(body.toString()))
      .filter(({ data }) => data.id === id)
      .map(({ type }) => type)
      .sort();
  await expect.poll(events).toEqual(["message.delivered", "message.sent"]);
  await own.stop();
  // One export hangs, and the spans of the second send wait behind it.
  expect(collector.received).toHaveLength(answered + 1);
  // The last export is given two seconds; without that bound it would be ten minutes, and this test would time out.
  await shutDown();
});

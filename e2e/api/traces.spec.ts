import { type Receiver, startReceiver } from "@/test/network/receiver";
import { type Customer, newCustomer, newNumber, takenBy } from "../support/installation/customer";
import { type Installation, startInstallation } from "../support/installation/installation";
import { test as base, expect } from "../test";

type Named = { key: string; value: { stringValue?: string } };

type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** The process that exported it. */
  from: string;
  attributes: Named[];
  links?: { traceId: string; spanId: string }[];
};

type Export = {
  resourceSpans: { resource: { attributes: Named[] }; scopeSpans: { spans: Omit<OtlpSpan, "from">[] }[] }[];
};

/** Every span that a collector got so far. */
const spansOf = ({ received }: Receiver): OtlpSpan[] =>
  received
    .flatMap(({ body }) => (JSON.parse(body.toString()) as Export).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const from = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, from })));
    });

type Traced = { collector: Receiver; installation: Installation<"twilio">; customer: Customer };

/** The built web process and worker, with an OpenTelemetry collector on loopback. */
const test = base.extend<{ traced: Traced }>({
  traced: async ({ service }, use) => {
    const collector = await startReceiver((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end("{}"),
    );
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    };
    const installation = await startInstallation(service, { carriers: ["twilio"], settings });
    const customer = await newCustomer(installation, await installation.makeRoute("twilio"));
    await use({ collector, installation, customer });
    await installation.close();
    await collector.close();
  },
});

const WEB = "messaging-service-web";
const WORKER = "messaging-service-worker";
const TEXT = "Your code is 918273";

test("from the request to the webhook a send is linked across web process, queue and worker, and no span has a text, number or secret", async ({
  traced: { collector, installation, customer },
  receiver,
}) => {
  const made = await customer.api.post("/webhooks/create", { url: receiver.url });
  const to = newNumber();
  const id = await customer.send(to, TEXT);
  await customer.reaches(id, "sent");
  const taken = await takenBy(installation.carriers.twilio, to);
  await installation.carriers.twilio.report(taken, "delivered", installation.receiptUrlOf("twilio"));
  await expect.poll(() => receiver.received.length).toBe(2);

  const isOfMessage = ({ key, value }: Named) => key === "messaging.message.id" && value.stringValue === id;
  const root = () =>
    spansOf(collector).find(({ name, attributes }) => name === "message" && attributes.some(isOfMessage));
  const own = () => spansOf(collector).filter(({ traceId }) => traceId === root()?.traceId);
  await expect
    .poll(() =>
      own()
        .map(({ name, from }) => `${name}, ${from}`)
        .sort(),
    )
    .toEqual([
      `message delivered, ${WORKER}`,
      `message sent, ${WORKER}`,
      `message, ${WEB}`,
      `provider twilio, ${WORKER}`,
      `webhook message.delivered, ${WORKER}`,
      `webhook message.sent, ${WORKER}`,
    ]);
  const find = (name: string) => own().find((span) => span.name === name);
  for (const { name, parentSpanId } of own()) expect(parentSpanId ?? "").toBe(name === "message" ? "" : root()?.spanId);
  /** The spans that `name` links to, once they were exported too. */
  const linkedWith = (name: string): string[] => {
    const ids = (find(name)?.links ?? []).map(({ spanId }) => spanId);
    return spansOf(collector).flatMap((span) => (ids.includes(span.spanId) ? [`${span.name}, ${span.from}`] : []));
  };
  for (const [name, expected] of [
    ["message", `messages.send, ${WEB}`],
    ["provider twilio", `job dispatch_messages, ${WORKER}`],
    ["message delivered", `job apply_receipts, ${WORKER}`],
    ["webhook message.delivered", `job deliver_events, ${WORKER}`],
  ] as const) {
    await expect.poll(() => linkedWith(name), { message: name }).toEqual([expected]);
  }
  // The receipt came in a request of the provider; only the job that applies it has a link to that request.
  const callback = () => spansOf(collector).find(({ name, from }) => name === "receipts" && from === WEB);
  const applied = () => spansOf(collector).filter(({ name }) => name === "job apply_receipts");
  await expect
    .poll(() => applied().some(({ links }) => links?.some(({ spanId }) => spanId === callback()?.spanId)))
    .toBe(true);

  const exported = collector.received.map(({ body }) => body.toString()).join("\n");
  const { account } = customer;
  const receiptUrls = [taken.receiptUrl, installation.receiptUrlOf("twilio")].flatMap((url) => url ?? []);
  const secrets = [
    ...[TEXT, to, to.slice(1), account.sender.slice(1), account.apiKey, made.body.data.signing_secret],
    ...[receiver.url, ...receiptUrls, ...receiptUrls.map((url) => new URL(url).pathname)],
    ...Object.values(installation.carriers.twilio.environment),
  ];
  for (const secret of secrets) expect(exported).not.toContain(String(secret));
});

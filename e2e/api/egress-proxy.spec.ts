import type { Delivery } from "@/server/webhooks/schema";
import { type ConnectProxy, startConnectProxy } from "@/test/network/connect-proxy";
import { type Customer, newCustomer, newNumber, takenBy, takenFor } from "../support/installation/customer";
import { type Installation, startInstallation } from "../support/installation/installation";
import { test as base, expect } from "../test";

const PASSWORD = "p@ss/w0rd-of-the-proxy";

type Proxied = { proxy: ConnectProxy; installation: Installation<"twilio">; customer: Customer };

/** The built web process and worker, which reach providers and endpoints only through a proxy. */
const test = base.extend<{ proxied: Proxied }>({
  proxied: async ({ service }, use) => {
    const proxy = await startConnectProxy({ credentials: `sms:${encodeURIComponent(PASSWORD)}` });
    const settings = { PROVIDER_PROXY_URL: proxy.url, WEBHOOK_PROXY_URL: proxy.url };
    const installation = await startInstallation(service, { carriers: ["twilio"], settings });
    const customer = await newCustomer(installation, await installation.makeRoute("twilio"));
    await use({ proxy, installation, customer });
    await installation.close();
    await proxy.close();
  },
});

test("a message and its webhooks go through the proxy; while it is down nothing is sent, and afterwards everything once", async ({
  proxied: { proxy, installation, customer },
  receiver,
}) => {
  const { twilio } = installation.carriers;
  const report = async (to: string) =>
    twilio.report(await takenBy(twilio, to), "delivered", installation.receiptUrlOf("twilio"));
  const eventsOf = (id: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body.toString()) as { type: string; data: { id: string } })
      .flatMap(({ type, data }) => (data.id === id ? [type] : []));
  const deliveries = async (endpointId: unknown, filter = "") =>
    (await customer.api.get<Delivery[]>(`/webhooks/${endpointId}/deliveries${filter}`)).body.data;

  const { body: endpoint } = await customer.api.post("/webhooks/create", { url: receiver.url });
  const first = { to: newNumber(), id: "" };
  first.id = await customer.send(first.to);
  await customer.reaches(first.id, "sent");
  await expect.poll(() => eventsOf(first.id)).toEqual(["message.sent"]);
  // The receiver has the event before the service has the response, which also passes the proxy.
  await expect
    .poll(async () => (await deliveries(endpoint.data.id)).map(({ status }) => status))
    .toEqual(["delivered"]);
  expect(new Set(proxy.asked)).toEqual(
    new Set([twilio.environment.TWILIO_BASE_URL ?? "", receiver.url].map((url) => new URL(url).host)),
  );

  await proxy.goAway();
  await report(first.to);
  const second = { to: newNumber(), id: "" };
  second.id = await customer.send(second.to);
  const unsent = { provider: "twilio", outcome: "retryable", code: "egress_proxy_unreachable" };
  await expect.poll(async () => (await customer.attempts(second.id))[0]).toEqual(unsent);
  expect(await customer.read(second.id)).toMatchObject({ status: "pending" });
  await expect
    .poll(async () => (await deliveries(endpoint.data.id, "?status=pending")).map(({ tries }) => tries[0]?.error))
    .toEqual(["The egress proxy could not be reached (ECONNREFUSED)."]);
  expect(takenFor(twilio, second.to)).toEqual([]);

  await proxy.comeBack();
  await customer.reaches(second.id, "sent");
  await report(second.to);
  await customer.reaches(second.id, "delivered");
  for (const { id, to } of [first, second]) {
    await expect.poll(() => eventsOf(id).sort()).toEqual(["message.delivered", "message.sent"]);
    expect(takenFor(twilio, to)).toHaveLength(1);
  }
  expect((await customer.api.get(`/webhooks/${endpoint.data.id}`)).body.data).toMatchObject({
    is_active: true,
    failure_count: 0,
  });

  for (const { output } of [installation.web, ...installation.workers]) {
    expect(output()).toContain(`"providers":"http://127.0.0.1:${proxy.port}"`);
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`sms:${PASSWORD}`).toString("base64")]) {
      expect(output()).not.toContain(secret);
    }
  }
});

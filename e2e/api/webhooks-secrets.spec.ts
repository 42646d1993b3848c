import { createHmac } from "node:crypto";
import type {
  CreatedWebhookEndpoint,
  Event,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookTest,
} from "@/server/webhooks/schema";
import { type Receiver, status } from "../../test/network/receiver";
import { requiresKey, requiresPermission } from "../support/access";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { openWebhook, signaturesOf, signaturesWith } from "../support/signature";

const UNKNOWN = "/webhooks/whe_01k9x7t4m2e8v5q3r6w1y0z8ab";
const HOUR_MS = 3_600_000;

const createAt = ({ url }: Receiver, rest: CheckedApi): Promise<CreatedWebhookEndpoint> =>
  rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url });

test.describe("POST /webhooks/{id}/test", () => {
  test("posts one signed event at once, marked as a test, and reports the response", async ({
    rest,
    receiver,
    contract,
  }) => {
    const endpoint = await createAt(receiver, rest);
    receiver.respondWith((response) => response.writeHead(200).end("got it"));
    expect(await rest.post<WebhookTest>(`/webhooks/${endpoint.id}/test`)).toEqual({
      object: "webhook_test",
      delivered: true,
      status_code: 200,
      latency_ms: expect.any(Number),
      error: null,
      response_head: "got it",
    });
    const [request] = receiver.received;
    if (!request) throw new Error("A request was posted.");
    expect(request.headers["service-test"]).toBe("true");
    const event = openWebhook(request, endpoint.signing_secret);
    contract.checkEvent(event);
    expect(event).toMatchObject({ type: "message.delivered", data: { reference: "test" } });
    // The test event is not stored.
    expect((await rest.page("/events")).items).toEqual([]);
    expect((await rest.page(`/webhooks/${endpoint.id}/deliveries`)).items).toEqual([]);
    const { signing_secret: _, ...unchanged } = endpoint;
    expect(await rest.get(`/webhooks/${endpoint.id}`)).toEqual(unchanged);
    expect(receiver.received).toHaveLength(1);
  });

  test("a request also has a Standard Webhooks signature", async ({ rest, receiver }) => {
    const { id, signing_secret: secret } = await createAt(receiver, rest);
    await rest.post(`/webhooks/${id}/test`);
    const [request] = receiver.received;
    if (!request) throw new Error("A request was posted.");
    const { headers, body } = request;
    expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "Messaging-Service/1" });
    expect(headers["webhook-id"]).toBe((JSON.parse(String(body)) as Event).id);
    expect(Math.abs(Date.now() / 1_000 - Number(headers["webhook-timestamp"]))).toBeLessThan(60);
    const [prefix, key = ""] = secret.split("_");
    const signed = createHmac("sha256", Buffer.from(key, "base64"))
      .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`)
      .update(body);
    expect([prefix, headers["webhook-signature"]]).toEqual(["whsec", `v1,${signed.digest("base64")}`]);
  });

  test("a refused or unreachable test is reported, never repeated, and not counted as a failure", async ({
    rest,
    receiver,
  }) => {
    const { id } = await createAt(receiver, rest);
    for (const code of [500, 302, 410]) {
      receiver.respondWith(status(code));
      const outcome = await rest.post<WebhookTest>(`/webhooks/${id}/test`);
      expect(outcome).toMatchObject({ delivered: false, status_code: code, error: expect.any(String) });
    }
    receiver.respondWith((response) => response.destroy());
    const path = `/webhooks/${id}/test`;
    let last = await rest.ask({ method: "POST", path });
    let tests = 4;
    // On a busy machine, a stall of the service may have broken the connection.
    for (; last.status === 503; tests += 1) {
      expect(last.body.error?.details.reason).toBe("outcome_unknown");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      last = await rest.ask({ method: "POST", path });
    }
    const outcome = last.body.data as WebhookTest;
    expect(outcome).toMatchObject({ delivered: false, status_code: null, response_head: null });
    expect(outcome.error).toEqual(expect.any(String));
    expect(await rest.get<WebhookEndpoint>(`/webhooks/${id}`)).toMatchObject({ failure_count: 0, is_active: true });
    expect(receiver.received).toHaveLength(tests);
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    await rest.refusal(404, { method: "POST", path: `${UNKNOWN}/test` });
    expect(await rest.refusal(400, { method: "POST", path: "/webhooks/%00/test" })).toMatchObject({ param: "id" });
  });

  requiresPermission("webhooks:write", async (rest, _account, receiver) => {
    const { id } = await createAt(receiver, rest);
    return { method: "POST", path: `/webhooks/${id}/test` };
  });

  requiresKey("POST", `${UNKNOWN}/test`);

  test("cannot see another account", async ({ rest, receiver, stranger }) => {
    const { id } = await createAt(receiver, rest);
    await stranger.rest.refusal(404, { method: "POST", path: `/webhooks/${id}/test` });
    expect(receiver.received).toEqual([]);
  });
});

test.describe("POST /webhooks/{id}/rotate-secret", () => {
  test("returns a new secret; for a day the former one signs too, so that every request can be verified", async ({
    rest,
    receiver,
  }) => {
    const { signing_secret: first, ...endpoint } = await createAt(receiver, rest);
    const rotate = () => rest.post<RotatedWebhookEndpoint>(`/webhooks/${endpoint.id}/rotate-secret`);
    const expectSignatures = async (secrets: string[]) => {
      await rest.post(`/webhooks/${endpoint.id}/test`);
      const request = receiver.received.at(-1);
      if (!request) throw new Error("A request was posted.");
      expect(signaturesOf(request)).toEqual(signaturesWith(secrets, request));
    };
    const { signing_secret: second, previous_secret_expires_at: until, ...unchanged } = await rotate();
    expect(unchanged).toEqual(endpoint);
    expect(second).not.toBe(first);
    expect(Math.abs(Date.parse(until) - Date.now() - 24 * HOUR_MS)).toBeLessThan(60_000);
    await expectSignatures([second, first]);
    const { signing_secret: third } = await rotate();
    await expectSignatures([third, second]);
    expect(await rest.get(`/webhooks/${endpoint.id}`)).toEqual(endpoint);
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    await rest.refusal(404, { method: "POST", path: `${UNKNOWN}/rotate-secret` });
    const error = await rest.refusal(400, { method: "POST", path: "/webhooks/%00/rotate-secret" });
    expect(error).toMatchObject({ param: "id" });
  });

  requiresPermission("webhooks:write", async (rest, _account, receiver) => {
    const { id } = await createAt(receiver, rest);
    return { method: "POST", path: `/webhooks/${id}/rotate-secret` };
  });

  requiresKey("POST", `${UNKNOWN}/rotate-secret`);

  test("cannot see another account", async ({ rest, receiver, stranger }) => {
    const { id, signing_secret } = await createAt(receiver, rest);
    await stranger.rest.refusal(404, { method: "POST", path: `/webhooks/${id}/rotate-secret` });
    await rest.post(`/webhooks/${id}/test`);
    for (const request of receiver.received) openWebhook(request, signing_secret);
  });
});

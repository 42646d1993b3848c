import type { CreatedWebhookEndpoint, Delivery, WebhookEndpoint } from "@/server/webhooks/schema";
import { type Receiver, status } from "../../test/network/receiver";
import { requiresKey, requiresPermission } from "../support/access";
import type { OwnAccount } from "../support/accounts";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { ISO } from "../support/follow";

const UNKNOWN = "/webhooks/whe_01k9x7t4m2e8v5q3r6w1y0z8ab";
const SILENT = "+15550100008";
const GONE = 410;

/** An endpoint that gets one event per message. */
const createAt = ({ url }: Receiver, rest: CheckedApi): Promise<CreatedWebhookEndpoint> =>
  rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url, events: ["message.sent"] });

const sendOne = (rest: CheckedApi, account: OwnAccount) =>
  rest.post<{ id: string }>("/messages/send", { to: SILENT, from: account.sender, body: "Hello" });

const statusesOf = async (rest: CheckedApi, id: string) =>
  (await rest.page<Delivery>(`/webhooks/${id}/deliveries`)).items.map((delivery) => delivery.status);

test("events of a pause are sent when it is over", async ({ rest, account, receiver }) => {
  const { id } = await createAt(receiver, rest);
  const paused = await rest.post<WebhookEndpoint>(`/webhooks/${id}/pause`);
  expect(paused).toMatchObject({
    is_active: false,
    disabled_at: ISO,
    disabled_reason: null,
    paused_at: ISO,
    paused_by: expect.stringMatching(/^key_/),
  });
  expect(await rest.post(`/webhooks/${id}/pause`)).toEqual(paused);
  await sendOne(rest, account);
  await expect.poll(() => statusesOf(rest, id)).toEqual(["held"]);
  expect(receiver.received).toHaveLength(0);
  const resumed = await rest.post<WebhookEndpoint>(`/webhooks/${id}/resume`);
  expect(resumed).toMatchObject({ is_active: true, disabled_at: null, paused_at: null, paused_by: null });
  await expect.poll(() => statusesOf(rest, id)).toEqual(["delivered"]);
  expect(receiver.received).toHaveLength(1);
});

test("an endpoint that failures have disabled is enabled, not resumed", async ({ rest, account, receiver }) => {
  const { id } = await createAt(receiver, rest);
  receiver.respondWith(status(GONE));
  await sendOne(rest, account);
  const read = () => rest.get<WebhookEndpoint>(`/webhooks/${id}`);
  await expect.poll(read).toMatchObject({ is_active: false, disabled_reason: "gone", paused_at: null });
  expect(await rest.post(`/webhooks/${id}/pause`)).toEqual(await read());
  const refused = await rest.refusal(400, { method: "POST", path: `/webhooks/${id}/resume` });
  expect(refused).toMatchObject({ param: "id", details: { reason: "endpoint_disabled" } });
});

for (const verb of ["pause", "resume"]) {
  test.describe(`POST /webhooks/{id}/${verb}`, () => {
    test("an unknown endpoint id is a 404, and text that cannot be an id is a 400", async ({ rest }) => {
      await rest.refusal(404, { method: "POST", path: `${UNKNOWN}/${verb}` });
      expect(await rest.refusal(400, { method: "POST", path: `/webhooks/%00/${verb}` })).toMatchObject({ param: "id" });
    });

    requiresPermission("webhooks:write", async (rest, _account, receiver) => {
      const { id } = await createAt(receiver, rest);
      return { method: "POST", path: `/webhooks/${id}/${verb}` };
    });

    requiresKey("POST", `${UNKNOWN}/${verb}`);

    test("cannot see another account", async ({ rest, receiver, stranger }) => {
      const { id } = await createAt(receiver, rest);
      await stranger.rest.refusal(404, { method: "POST", path: `/webhooks/${id}/${verb}` });
      expect(await rest.get(`/webhooks/${id}`)).toMatchObject({ is_active: true });
    });
  });
}

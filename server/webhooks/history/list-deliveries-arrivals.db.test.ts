/** Deliveries that arrive while a page of those in their status is read. */
import { expect, test, vi } from "vitest";
import { raiseSent, recordWaitingOf, type TestWebhook, webhooksOfFile } from "@/test/database/webhooks";
import { readTotal } from "../../lists/store";
import { listDeliveries } from "./list-deliveries";

vi.mock("../../lists/store", async (original) => {
  const actual = await original<typeof import("../../lists/store")>();
  return { ...actual, readTotal: vi.fn(actual.readTotal) };
});

const setUp = webhooksOfFile();

const pageOf = ({ account, endpoint }: TestWebhook, page: number, limit: number) =>
  listDeliveries(account.actor, { id: endpoint.id, status: "pending", page, limit });

const addDelivery = async (setup: TestWebhook) => {
  await raiseSent(setup, 1);
  await recordWaitingOf(setup.endpoint.id);
};

/** The page while a delivery arrives right after the list was counted. */
async function pageWithArrival(setup: TestWebhook, page: number, limit: number) {
  const { readTotal: count } = await vi.importActual<typeof import("../../lists/store")>("../../lists/store");
  vi.mocked(readTotal).mockImplementationOnce(async (...of) => {
    const counted = await count(...of);
    await addDelivery(setup);
    return counted;
  });
  return pageOf(setup, page, limit);
}

test("one that arrives between the count and the read leaves no older one out, and the total counts what is shown", async () => {
  const setup = await setUp();
  for (let added = 0; added < 3; added += 1) await addDelivery(setup);
  const known = (await pageOf(setup, 1, 10)).items.map(({ id }) => id);
  expect(known).toHaveLength(3);

  const first = await pageWithArrival(setup, 1, 10);
  expect(first.items.map(({ id }) => id)).toEqual(expect.arrayContaining(known));
  expect(first.pagination).toMatchObject({ total: first.items.length, has_more: false });

  // Four are known, so the second page of three had one of them; now it has two.
  const last = await pageWithArrival(setup, 2, 3);
  expect(last.items.map(({ id }) => id)).toEqual(known.slice(-2));
  expect(last.pagination).toMatchObject({ total: 5, has_more: false });
  expect(last.next_cursor).toBeNull();
});

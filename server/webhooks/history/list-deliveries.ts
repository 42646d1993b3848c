import type { AccountActor } from "../../core/actor";
import { readPrisma } from "../../core/db";
import { readList } from "../../lists/read-list";
import { readTotal } from "../../lists/store";
import { presentDelivery } from "../present";
import { EVENT_TYPES, type ListDeliveriesQuery } from "../schema";
import { noSuchEndpoint } from "../service";

/** Deliveries to one endpoint, newest first, each with every try. @throws 404 */
export async function listDeliveries(actor: AccountActor, query: ListDeliveriesQuery) {
  const { accountId } = actor;
  const endpoint = await readPrisma().webhookEndpoint.findFirst({
    where: { id: query.id, accountId, deletedAt: null },
    select: { id: true },
  });
  if (!endpoint) throw noSuchEndpoint();
  const page = await readList(
    query,
    "dlv",
    () => readTotal("deliveries", { ownerId: endpoint.id, kind: query.status }),
    ({ before, skip, take }) =>
      readPrisma().webhookDelivery.findMany({
        where: { accountId, endpointId: endpoint.id, status: query.status, id: { lt: before } },
        orderBy: { id: "desc" },
        skip,
        take,
      }),
  );
  const { rows } = page;
  const [events, tries] = await Promise.all([
    readPrisma().event.findMany({
      where: { accountId, type: { in: [...EVENT_TYPES] }, id: { in: rows.map((row) => row.eventId) } },
      select: { id: true, type: true, messageId: true },
    }),
    readPrisma().webhookTry.findMany({
      where: { deliveryId: { in: rows.map((row) => row.id) } },
      orderBy: [{ round: "asc" }, { attempt: "asc" }],
    }),
  ]);
  const eventById = new Map(events.map((event) => [event.id, event]));
  const items = rows.flatMap((row) => {
    const event = eventById.get(row.eventId);
    const made = tries.filter((each) => each.deliveryId === row.id);
    return event ? [presentDelivery(row, event, made)] : [];
  });
  return page.present(items);
}

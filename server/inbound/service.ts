import type { AccountActor } from "../core/actor";
import { readPrisma } from "../core/db";
import { notFound } from "../core/errors";
import { firstIdAt } from "../core/ids";
import { readList } from "../lists/read-list";
import { readTotal } from "../lists/store";
import { presentInbound } from "./present";
import type { InboundMessage, ListInboundQuery } from "./schema";
import { addressedAs } from "./sender-spellings";

/** Messages from handsets to the account, newest first. */
export async function listInbound({ accountId }: AccountActor, query: ListInboundQuery) {
  const { from, to, created_after: after, created_before: before } = query;
  const isFiltered = [from, to, after, before].some((given) => given !== undefined);
  const where = {
    accountId,
    fromNumber: from,
    toNumber: to === undefined ? undefined : addressedAs(to),
    // An id contains the time at which the message was stored.
    id: { gte: after && firstIdAt("inbound", new Date(after)), lt: before && firstIdAt("inbound", new Date(before)) },
  };
  const page = await readList(
    query,
    "inb",
    () => (isFiltered ? readPrisma().inboundMessage.count({ where }) : readTotal("inbound", { ownerId: accountId })),
    (span) =>
      readPrisma().inboundMessage.findMany({
        where: { AND: [where, { id: { lt: span.before } }] },
        orderBy: { id: "desc" },
        skip: span.skip,
        take: span.take,
      }),
  );
  return page.present(page.rows.map(presentInbound));
}

/** One message from a handset. @throws 404 */
export async function getInbound({ accountId }: AccountActor, id: string): Promise<InboundMessage> {
  const row = await readPrisma().inboundMessage.findFirst({ where: { id, accountId } });
  if (!row) throw notFound("There is no inbound message with this id.", { param: "id" });
  return presentInbound(row);
}

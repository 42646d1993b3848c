/** Checks that no reply was lost or stored twice, and that a person who said STOP gets nothing. */
import type { Reply } from "../load/replies";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

const BLOCKED = "blocklisted";

/** Reports over SMPP have no id, so a repeated one is another message. */
const mayRepeat = ({ carrier }: Reply): boolean => carrier === "smpp";

/** Every acknowledged text is an inbound message of its account, and of no other account. */
function judgeStored(reply: Reply, stored: Evidence["database"]["inbound"]): string[] {
  const { from, to, accountId, carrier } = reply;
  const strange = stored.filter((each) => each.to !== to || each.accountId !== accountId || each.provider !== carrier);
  return [
    ...strange.map(({ id }) => `${id} from ${from} is another's`),
    ...reply.texts.flatMap((text) => {
      const count = stored.filter(({ body }) => body === text).length;
      if (count === 0)
        return reply.isTaken ? [`"${text}" from ${from} was taken by ${carrier}'s callback and is not there`] : [];
      return count > 1 && !mayRepeat(reply) ? [`"${text}" from ${from} is there ${count} times`] : [];
    }),
  ];
}

/** Descriptions of replies that were lost, stored twice, or ignored. */
export function judgeReplies({ replies, requests, database }: Evidence): string[] {
  const inbound = groupBy(database.inbound, ({ from }) => from);
  const messages = groupBy(database.messages, ({ to }) => to);
  const asked = new Set(requests.map(({ to }) => to));
  const events = groupBy(database.events, ({ messageId }) => messageId);
  const unreported = database.inbound.flatMap(({ id, accountId }) => {
    const own = events.get(id) ?? [];
    return own.length === 1 && own[0]?.accountId === accountId ? [] : [`${id} has ${own.length} events`];
  });
  const heeded = replies.flatMap((reply) => {
    const { from, texts, isTaken } = reply;
    const isStopped = texts.at(-1) === "STOP";
    const sent = isTaken ? (messages.get(from) ?? []) : [];
    return sent.flatMap(({ id, status, errorCode, costMicros }) => {
      const isBlocked = status === "failed" && errorCode === BLOCKED && costMicros === 0;
      if (isStopped === isBlocked && !(isStopped && asked.has(from))) return [];
      return [`${id} to ${from}, who said ${texts.join(", ")}, is ${status} ${errorCode ?? ""}`];
    });
  });
  return [...replies.flatMap((reply) => judgeStored(reply, inbound.get(reply.from) ?? [])), ...heeded, ...unreported];
}

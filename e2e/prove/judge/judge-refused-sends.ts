/** Checks that a send whose caller was told at last that it is refused made no message. */
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

/** Descriptions of messages that were accepted although the last response to their send was a refusal. */
export function judgeRefusedSends({ sends, database }: Evidence): string[] {
  const messages = groupBy(database.messages, ({ reference }) => reference ?? "");
  return sends.flatMap(({ refused, refusedFor, reference }) =>
    refused && reference !== null
      ? (messages.get(reference) ?? []).map(
          ({ id, status }) => `${reference} was refused (${refusedFor ?? "no reason"}), and ${id} is ${status}`,
        )
      : [],
  );
}

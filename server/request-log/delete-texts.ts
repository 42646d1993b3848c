import { MINUTE_MS } from "../core/clock";
import type { Tx } from "../core/db";
import { env } from "../core/env";
import { firstIdAt, timeOfId } from "../core/ids";
import { unnest } from "../core/unnest";
import { withoutTexts } from "./mask";
import type { RequestRow } from "./store";

/** A request begins at most this long before its message: by then it has been read. */
const BEGUN_WITHIN_MS = MINUTE_MS;
/**
 * Repeats of a request, which get the same message in response, are searched for within this time: the log has no index by message,
 * so all requests of the account in this time are read.
 */
const REPEATED_WITHIN_MS = MINUTE_MS;

type Logged = Pick<RequestRow, "id" | "accountId" | "requestBody"> & { slot: number };

const CLEARED = unnest<Logged>({
  slot: ["int2", ({ slot }) => slot],
  account_id: ["text", ({ accountId }) => accountId],
  id: ["text", ({ id }) => id],
  request_body: ["text", ({ requestBody }) => requestBody],
});

/**
 * Deletes the text of a message from the logged bodies of the requests that sent it, where REQUEST_LOG_TEXTS keeps texts. Without
 * that setting nothing is read. A bulk send has one text for all its messages, and the log knows only the first and the last of
 * them, so bulk sends of the same moment may lose their logged text too. Refused requests have no message.
 */
export async function deleteLoggedTexts(tx: Tx, message: { id: string; accountId: string }): Promise<void> {
  if (!env().REQUEST_LOG_TEXTS) return;
  const acceptedAt = timeOfId(message.id).getTime();
  const { rows } = await tx.query<Logged>({
    name: "request_log.of_message",
    text: `SELECT slot, account_id AS "accountId", id, request_body AS "requestBody" FROM request_log
           WHERE account_id = $1 AND id >= $2 AND id < $3 AND request_body IS NOT NULL
             AND (resource_id = $4 OR $4 BETWEEN first_message_id AND last_message_id)`,
    values: [
      message.accountId,
      firstIdAt("request", new Date(acceptedAt - BEGUN_WITHIN_MS)),
      firstIdAt("request", new Date(acceptedAt + REPEATED_WITHIN_MS)),
      message.id,
    ],
  });
  const cleared = rows.flatMap((row) => {
    const requestBody = withoutTexts(row.requestBody ?? "null");
    // The other messages of a bulk send find it cleared.
    return requestBody === row.requestBody ? [] : [{ ...row, requestBody }];
  });
  if (cleared.length === 0) return;
  await tx.query({
    name: "request_log.delete_texts",
    text: `UPDATE request_log r SET request_body = c.request_body FROM ${CLEARED.as("c")}
           WHERE r.slot = c.slot AND r.account_id = c.account_id AND r.id = c.id`,
    values: CLEARED.values(cleared),
  });
}

/** Customers delete the texts of ended messages. */
import { exchange } from "../world/exchange";
import { type Caller, note, untilAnswered } from "./sends";

/** A request to delete a text, as its caller knows it. `isDeleted` false: the message had not ended; null: no response told. */
export type Redaction = { id: string; isDeleted: boolean | null };

type RedactOrder = Caller & { id: string };

/** Deletes the text of a message. @returns the request as its caller knows it. */
export async function redact({ customer, id, urlAt, turn, answers }: RedactOrder): Promise<Redaction> {
  const { status } = await untilAnswered(async (at) => {
    const url = `${urlAt(turn + at)}/api/v1/messages/${id}/redact`;
    const answer = await exchange({ method: "POST", url, apiKey: customer.apiKey, body: "{}" });
    note(answers, "redact", answer);
    return answer;
  });
  return { id, isDeleted: status === 200 ? true : status === 400 ? false : null };
}

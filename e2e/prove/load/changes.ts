/** Requests that change what is allowed, or where events go, as their callers know them. */
import { type Exchange, exchange, exchangeAt } from "../world/exchange";
import { type Caller, note, untilAnswered } from "./sends";

/**
 * A change, with all repetitions of its request. `askedMs`: when the first try began; `answeredMs`: when the last response had
 * arrived. `url`: the web process that sent it.
 */
export type Change = {
  askedMs: number;
  answeredMs: number;
  url: string;
  status: number | null;
  /** The last response says that the change is in effect. */
  isDone: boolean;
};

export type ChangeRequest = {
  /** Its name in the table of responses. */
  what: string;
  method: "POST" | "PATCH" | "DELETE";
  /** Of the operation, or of the call if a person makes it in the console. */
  path: string;
  body?: object;
  idempotencyKey?: string;
  /** The person's session; absent: the customer's program asks. */
  cookie?: string;
};

/** Whether a response says that the change is in effect; a deletion that was repeated may find nothing left to delete. */
const isInEffect = (method: string, { status }: Exchange, tries: number): boolean =>
  status !== null && (status < 300 || (method === "DELETE" && status === 404 && tries > 1));

type Data = Record<string, unknown>;

/** Asks for a change until a response tells its outcome. @returns the change, and what the response tells. */
export async function change(
  { customer, urlAt, turn, answers }: Caller,
  { what, method, path, body, idempotencyKey, cookie }: ChangeRequest,
): Promise<{ made: Change; data: Data }> {
  const askedMs = Date.now();
  let tries = 0;
  let url = "";
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await untilAnswered(async (at) => {
    tries += 1;
    url = urlAt(turn + at);
    const request = { method, idempotencyKey, ...text };
    const tried = cookie
      ? { ...(await exchangeAt({ ...request, url: `${url}/api/trpc${path}`, headers: { cookie } })), fault: null }
      : await exchange({ ...request, url: `${url}/api/v1${path}`, apiKey: customer.apiKey });
    note(answers, what, tried);
    return tried;
  });
  const isDone = isInEffect(method, answer, tries);
  const made = { askedMs, answeredMs: Date.now(), url, status: answer.status, isDone };
  const { data, result } = (answer.body ?? {}) as { data?: Data; result?: { data?: Data } };
  return { made, data: (cookie ? result?.data : data) ?? {} };
}

/** Requests that somebody may repeat without knowing whether they were carried out: each with a key by which that is safe. */
import { ApiError } from "../client.js";
import { isPassing } from "../retries.js";

/** Whether a request may have been carried out although it failed. Mistakes that the client finds before it sends have no cause. */
function mayBeDone(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError)) {
    return thrown instanceof DOMException || (thrown instanceof TypeError && thrown.cause !== undefined);
  }
  return (thrown.status < 400 || isPassing(thrown.status)) && thrown.details.carried_out !== false;
}

/**
 * Makes a request with an Idempotency-Key: the given one, or a new one.
 * @param tell what went wrong, and how to repeat the request with its key.
 * @throws Error with the words of `tell` if the request may have been carried out; otherwise what `request` throws.
 */
export async function once<Result>(
  given: string | undefined,
  request: (idempotencyKey: string) => Promise<Result>,
  tell: (thrown: unknown, idempotencyKey: string) => string,
): Promise<Result> {
  const key = given ?? crypto.randomUUID();
  try {
    return await request(key);
  } catch (thrown) {
    throw mayBeDone(thrown) ? new Error(tell(thrown, key), { cause: thrown }) : thrown;
  }
}

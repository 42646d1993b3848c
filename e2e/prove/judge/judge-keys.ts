/** Checks that API keys work from their creation to their end, and no longer. */
import type { KeyLife, Use } from "../load/keys";

/** Web processes other than the one that revoked or changed a key apply that within this time; all apply an expiry within it. */
const APPLIED_WITHIN_MS = 1_000;
/** Just before its expiry a key may be refused. */
const NEAR_MS = 100;

const UNAUTHORIZED = 401;

/** Whether the key must work for a request, must not, or may do either. A request that began before the end may see the end. */
function expected({ ended, expiresMs }: KeyLife, { askedMs, answeredMs, url }: Use): boolean | null {
  if (ended === null) return true;
  if (expiresMs !== null) {
    if (answeredMs < expiresMs - NEAR_MS) return true;
    // A key whose change got no response may live on.
    const isOver = ended.isDone && askedMs > Math.max(expiresMs, ended.answeredMs) + APPLIED_WITHIN_MS;
    return isOver ? false : null;
  }
  if (answeredMs < ended.askedMs) return true;
  if (!ended.isDone) return null;
  const isByItself = ended.status === 200 && ended.url === url;
  if (isByItself ? askedMs > ended.answeredMs : askedMs > ended.answeredMs + APPLIED_WITHIN_MS) return false;
  return null;
}

/** Descriptions of keys that were refused too early or accepted too late, or that a repeated request made twice. */
export function judgeKeys({ keys }: { keys: readonly KeyLife[] }): string[] {
  return keys.flatMap((life) => {
    const distinct = new Set(life.keys).size;
    return [
      ...(distinct > 1 ? [`a repeated creation gave ${distinct} keys`] : []),
      ...life.uses.flatMap((use) => {
        const { askedMs, url, status } = use;
        // Lost, or refused for lack of a database.
        if (status === null || status >= 500) return [];
        const mustWork = expected(life, use);
        const works = status !== UNAUTHORIZED;
        if (mustWork === null || mustWork === works) return [];
        const sinceMs = askedMs - (life.expiresMs ?? life.ended?.answeredMs ?? life.created.answeredMs);
        return [`a key ${works ? "worked" : "was refused"} at ${url}, ${sinceMs} ms after its end was to apply`];
      }),
    ];
  });
}

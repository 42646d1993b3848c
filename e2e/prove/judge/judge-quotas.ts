/** Checks that keys which share a daily quota sent no more than it allows, and were refused only when it was used up. */
import type { Quota, QuotaLife } from "../load/quotas";
import type { Send, Shortage } from "../load/sends";
import type { DatabaseBook } from "./books";
import type { Evidence } from "./evidence";

const DAY_MS = 86_400_000;

const isWithinADay = ({ beganMs, endedMs }: QuotaLife): boolean =>
  Math.floor(beganMs / DAY_MS) === Math.floor(endedMs / DAY_MS);

/** Messages of a quota that its callers knew as accepted at a time. */
const knownAt = ({ sends }: Quota, atMs: number): number =>
  sends
    .filter((send) => send.acceptedMs !== null && send.atMs + send.acceptedMs < atMs)
    .reduce((sum, { messages }) => sum + (messages ?? []).length, 0);

/** Whether a refusal is justified by its own words, and these agree with what was accepted before it and in all. */
function isJustified(quota: Quota, stored: number, { atMs, details }: Shortage): boolean {
  const { limit, used, requested } = details;
  if (typeof limit !== "number" || typeof used !== "number" || typeof requested !== "number") return false;
  return limit === quota.limit && used + requested > limit && used >= knownAt(quota, atMs) && used <= stored;
}

const nameOf = ({ reference, key, accountId }: Send): string => `${reference ?? key ?? "a send"} of ${accountId}`;

function judgeQuota({ keyId, limit, numbers }: Quota, { messages }: DatabaseBook, counts: ReadonlyMap<string, number>) {
  const own = new Set(numbers);
  const stored = messages.filter(({ to }) => own.has(to)).length;
  const counted = counts.get(keyId) ?? 0;
  return {
    stored,
    cases: [
      ...(stored > limit ? [`${stored} messages count against ${keyId}, which allows ${limit}`] : []),
      ...(stored !== counted ? [`${stored} messages count against ${keyId}, and its count is ${counted}`] : []),
    ],
  };
}

/** Descriptions of quotas that were passed or counted wrongly, and of refusals for a quota that had room. */
export function judgeQuotas({ sends, quotas: lives, database }: Evidence): string[] {
  const counts = new Map(database.quotas.map(({ keyId, messages }) => [keyId, messages]));
  const limitedSends = new Set(lives.flatMap(({ quotas }) => quotas.flatMap((quota) => quota.sends)));
  const foreign = sends.flatMap((send) =>
    (send.shortages ?? []).some(({ kind }) => kind === "quota") && !limitedSends.has(send)
      ? [`${nameOf(send)} was refused for a quota, and its key has none`]
      : [],
  );
  // Counts begin anew with a day.
  const judged = lives.filter(isWithinADay).flatMap(({ quotas }) => {
    const found = quotas.map((quota) => ({ quota, ...judgeQuota(quota, database, counts) }));
    const refused = new Set(quotas.flatMap((quota) => quota.sends));
    const unjust = [...refused].flatMap((send) =>
      (send.shortages ?? []).flatMap((shortage) => {
        const own = found.filter(({ quota }) => quota.sends.includes(send));
        return shortage.kind !== "quota" || own.some(({ quota, stored }) => isJustified(quota, stored, shortage))
          ? []
          : [`${nameOf(send)} was refused for its quota: ${JSON.stringify(shortage.details)}`];
      }),
    );
    return [...found.flatMap(({ cases }) => cases), ...unjust];
  });
  return [...foreign, ...judged];
}

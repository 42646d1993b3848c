/** Checks that keys made no more requests per minute than they allow, and were refused only when these were used up. */
import { type Happened, isCrash } from "../faults/faults";
import type { RateLife, RateUse } from "../load/rates";

const MINUTE_MS = 60_000;
/** A response that took longer does not tell to which minute its request counted. */
const PROMPT_MS = 10_000;
/** A crash of the database may lose the counts of its last second (server/api-keys/rate-limit.ts). */
const LOST_MS = 2_000;

const REFUSED = 429;
const FAILED = 500;

/** Faults after which a web process may count a request again, because it lost the response to the first count. */
const REPEATS: ReadonlySet<Happened["fault"]["kind"]> = new Set([
  ...(["cut", "terminate", "partition", "restart", "failover"] as const),
  ...(["pooler", "clients"] as const),
]);

type Counted = RateUse & { rate: NonNullable<RateUse["rate"]>; minute: number };

/** The uses of which the minute is known, as the number of minutes since 1970 at its end. */
const countedOf = ({ uses }: RateLife): Counted[] =>
  uses.flatMap(({ rate, ...use }) =>
    rate && use.answeredMs - use.askedMs < PROMPT_MS
      ? [{ ...use, rate, minute: Math.round((use.answeredMs + rate.resetS * 1_000) / MINUTE_MS) }]
      : [],
  );

const isDuring =
  (fromMs: number, untilMs: number) =>
  ({ atMs, untilMs: endedMs }: Happened): boolean =>
    atMs < untilMs && endedMs > fromMs;

function judgeRate(life: RateLife, happened: readonly Happened[]): string[] {
  const { keyId, limit, uses } = life;
  const counted = countedOf(life);
  const passed = [...new Set(counted.map(({ minute }) => minute))].flatMap((minute) => {
    const served = counted.filter(
      (use) => use.minute === minute && use.status !== REFUSED && (use.status ?? FAILED) < FAILED,
    );
    const during = isDuring((minute - 1) * MINUTE_MS - LOST_MS, minute * MINUTE_MS);
    const isExact = !happened.some((each) => isCrash(each) && during(each));
    return isExact && served.length > limit
      ? [`${keyId} made ${served.length} requests in a minute, and allows ${limit}`]
      : [];
  });
  const wrong = counted.flatMap(({ status, rate, minute, answeredMs }) => {
    const said = `${keyId} allows ${limit}, and a response with ${status} says ${rate.remaining} of ${rate.limit}`;
    const isSound = rate.limit === limit && (status === REFUSED ? rate.remaining === 0 : rate.remaining < limit);
    if (!isSound) return [said];
    if (status !== REFUSED) return [];
    const beganMs = (minute - 1) * MINUTE_MS;
    const isExact = !happened.some((each) => REPEATS.has(each.fault.kind) && isDuring(beganMs, answeredMs)(each));
    const asked = uses.filter((use) => use.askedMs < answeredMs && use.answeredMs > beganMs).length;
    return isExact && asked <= limit ? [`${keyId} allows ${limit}, and was refused one of ${asked} requests`] : [];
  });
  return [...passed, ...wrong];
}

/** Descriptions of limits that were passed or named wrongly, and of refusals for a limit that had room. */
export const judgeRates = ({
  rates,
  happened,
}: {
  rates: readonly RateLife[];
  happened: readonly Happened[];
}): string[] => rates.flatMap((life) => judgeRate(life, happened));

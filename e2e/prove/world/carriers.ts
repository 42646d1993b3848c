/** The carriers of the proof: their behavior, their receipts and their book. */
import { type CarrierName, type Carriers, isHttpCarrier, startCarriers } from "@/test/carriers/all";
import type { Behavior, Carrier, InboundMessage, TakenMessage } from "@/test/carriers/carrier";
import { everydayBehavior, receiptsFor } from "../faults/fate";

export const CARRIERS = ["twilio", "vonage", "smpp"] as const satisfies readonly CarrierName[];
export type ProvenCarrier = (typeof CARRIERS)[number];

/** A request to a carrier, and how the carrier handled it. */
export type CarrierRequest = { atMs: number; carrier: ProvenCarrier; to: string; behavior: Behavior["kind"] };

/** A message that a carrier took. `reference` names the attempt, if the carrier gets it. */
export type Taken = { atMs: number; carrier: ProvenCarrier; to: string; reference: string | null };

export type ProofCarriers = {
  /** Settings that point the service at these carriers. */
  environment: Record<string, string>;
  requests: CarrierRequest[];
  taken: () => Taken[];
  /** Sets a carrier's behavior for every request; null: the behavior without a fault. */
  setMode: (carrier: ProvenCarrier, behavior: Behavior | null) => void;
  /** Sets a delay of all carriers' responses; null: none. */
  slowDown: (ms: number | null) => void;
  /**
   * Passes on a message from a handset, and repeats it until it is accepted. @param receiptUrl where HTTP carriers report it.
   * @returns whether it was accepted.
   */
  passOn: (carrier: ProvenCarrier, message: InboundMessage, receiptUrl: string) => Promise<boolean>;
  /** All carriers take everything from now on, at once. */
  heal: () => void;
  /** Receipts yet to be sent. */
  outstanding: () => number;
  /** Receipts that the service refused, and requests that no carrier would take, described. */
  problems: string[];
  close: () => Promise<void>;
};

const LOOK_EVERY_MS = 15;
const AGAIN_FIRST_MS = 300;
const AGAIN_LONGEST_MS = 4_000;
const TRIES = 60;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const wasTaken = (carrier: ProvenCarrier, status: number): boolean =>
  carrier === "smpp" ? status === 0 : status >= 200 && status < 300;
/** The service would refuse it again. */
const isRefusal = (carrier: ProvenCarrier, status: number): boolean =>
  carrier !== "smpp" && status >= 400 && status < 500 && status !== 429;

/** Starts the carriers. @param timeoutMs the service's timeout for their responses. */
export async function startProofCarriers(seed: number, timeoutMs: number): Promise<ProofCarriers> {
  const carriers: Carriers<ProvenCarrier> = await startCarriers(CARRIERS);
  const requests: CarrierRequest[] = [];
  const problems: string[] = [];
  const modes = new Map<ProvenCarrier, Behavior | null>();
  const counts = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let outstanding = 0;
  let slowMs: number | null = null;
  let isHealthy = false;
  let isClosed = false;

  for (const name of CARRIERS) {
    carriers[name].otherwise((to) => {
      const key = `${name} ${to}`;
      const nth = (counts.get(key) ?? 0) + 1;
      counts.set(key, nth);
      const everyday = (): Behavior =>
        slowMs === null ? everydayBehavior(seed, { to, carrier: name, nth, timeoutMs }) : { kind: "slow", ms: slowMs };
      const behavior = isHealthy ? ({ kind: "accept" } as const) : (modes.get(name) ?? everyday());
      requests.push({ atMs: Date.now(), carrier: name, to, behavior: behavior.kind });
      return behavior;
    });
  }

  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };
  const follow = (name: ProvenCarrier, message: TakenMessage, step: number, tries: number) => {
    const planned = receiptsFor(seed, message.to)[step];
    if (!planned || isClosed) {
      outstanding -= 1;
      return;
    }
    const again = Math.min(AGAIN_FIRST_MS * 2 ** Math.max(0, tries - 1), AGAIN_LONGEST_MS);
    later(tries === 0 ? planned.afterMs : again, () => {
      const carrier: Carrier = carriers[name];
      carrier.report(message, planned.status, "").then(
        (statuses) => {
          const refused = statuses.find((status) => isRefusal(name, status));
          if (refused !== undefined) problems.push(`${name}: a receipt was answered with ${refused}`);
          if (refused !== undefined || statuses.every((status) => wasTaken(name, status))) {
            follow(name, message, step + 1, 0);
          } else repeat();
        },
        () => repeat(),
      );
    });
    const repeat = () => {
      if (tries < TRIES) return follow(name, message, step, tries + 1);
      problems.push(`${name}: a receipt was not taken in ${TRIES} tries`);
      outstanding -= 1;
    };
  };

  const passOn: ProofCarriers["passOn"] = async (name, message, receiptUrl) => {
    for (let tries = 0; tries < TRIES && !isClosed; tries += 1) {
      const carrier: Carrier = carriers[name];
      const status = await carrier.inbound(message, receiptUrl, tries > 0).catch(() => null);
      if (status !== null && wasTaken(name, status)) return true;
      if (status !== null && isRefusal(name, status)) problems.push(`${name}: a reply was answered with ${status}`);
      await pause(Math.min(AGAIN_FIRST_MS * 2 ** tries, AGAIN_LONGEST_MS));
    }
    problems.push(`${name}: a reply was not taken in ${TRIES} tries`);
    return false;
  };

  const seen = new Map<ProvenCarrier, number>();
  const look = setInterval(() => {
    for (const name of CARRIERS) {
      const { taken } = carriers[name];
      for (let at = seen.get(name) ?? 0; at < taken.length; at += 1) {
        const message = taken[at];
        if (!message) continue;
        outstanding += 1;
        follow(name, message, 0, 0);
      }
      seen.set(name, taken.length);
    }
  }, LOOK_EVERY_MS);

  return {
    environment: Object.assign({}, ...CARRIERS.map((name) => carriers[name].environment)) as Record<string, string>,
    requests,
    taken: () =>
      CARRIERS.flatMap((name) =>
        carriers[name].taken.map(({ to, reference, takenAt }) => ({
          atMs: takenAt.getTime(),
          carrier: name,
          to,
          reference,
        })),
      ),
    setMode: (name, behavior) => {
      modes.set(name, behavior);
    },
    slowDown: (ms) => {
      slowMs = ms;
    },
    passOn,
    heal: () => {
      isHealthy = true;
    },
    outstanding: () => outstanding,
    get problems() {
      const faulty = CARRIERS.map((name): Carrier => carriers[name]).filter(isHttpCarrier);
      return [...problems, ...faulty.flatMap((carrier) => carrier.problems)];
    },
    close: async () => {
      isClosed = true;
      clearInterval(look);
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(CARRIERS.map((name) => carriers[name].close()));
    },
  };
}

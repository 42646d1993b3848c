import { startAfricastalking } from "./africastalking";
import { startBandwidth } from "./bandwidth";
import type { Carrier } from "./carrier";
import { startClickatell } from "./clickatell";
import type { HttpCarrier } from "./http-carrier";
import { startInfobip } from "./infobip";
import { startMessageBird } from "./messagebird";
import { startPlivo } from "./plivo";
import { startSinch } from "./sinch";
import { startSmsc } from "./smsc";
import { startTelnyx } from "./telnyx";
import { startTwilio } from "./twilio";
import { startVonage } from "./vonage";

const START = {
  twilio: startTwilio,
  vonage: startVonage,
  messagebird: startMessageBird,
  plivo: startPlivo,
  telnyx: startTelnyx,
  sinch: startSinch,
  infobip: startInfobip,
  africastalking: startAfricastalking,
  clickatell: startClickatell,
  bandwidth: startBandwidth,
  smpp: startSmsc,
} satisfies Record<string, () => Promise<Carrier>>;

export type CarrierName = keyof typeof START;

type Started<Name extends CarrierName> = Awaited<ReturnType<(typeof START)[Name]>>;
export type Carriers<Name extends CarrierName = CarrierName> = { [Each in Name]: Started<Each> };

export const CARRIER_NAMES = Object.keys(START) as CarrierName[];

/** Carriers that are called over HTTP, and so can say what was wrong with a request. */
export const isHttpCarrier = (carrier: Carrier): carrier is HttpCarrier => "problems" in carrier;

/** Starts new instances of these carriers. */
export async function startCarriers<Name extends CarrierName>(names: readonly Name[]): Promise<Carriers<Name>> {
  const started = await Promise.all(names.map(async (name) => [name, await START[name]()] as const));
  return Object.fromEntries(started) as Carriers<Name>;
}

/** Settings of an SMPP provider. */
import { z } from "zod";
import { urlUpTo } from "../../core/wire";
import { ADDRESS, ADDRESS_MAX, field, secret } from "../setting-fields";
import type { Target } from "./connection";

const PORT_PLAIN = 2_775;
const PORT_SECURE = 3_550;

const whole = (least: number, most: number, standard: number, description: string) =>
  z.coerce.number().int().min(least).max(most).default(standard).describe(`${description}; ${standard} unless given`);

/** Limits the text of a bind's field, without its NUL; a centre would cut or refuse a longer one. */
const atMost = (octets: number): [(text: string) => boolean, string] => [
  (text) => Buffer.byteLength(text) <= octets,
  `must have at most ${octets} octets (SMPP 3.4)`,
];

export const smppSettings = z.object({
  url: urlUpTo(ADDRESS_MAX, { protocol: /^s?smpp$/, hostname: /./ })
    .describe("smpp://host:2775, or ssmpp://host:3550 for TLS")
    .meta(ADDRESS),
  systemId: field("system_id, at most 15 octets").refine(...atMost(15)),
  password: secret("password, at most 8 octets").refine(...atMost(8)),
  systemType: z
    .string()
    .refine(...atMost(12))
    .default("")
    .describe("system_type; most centres want none"),
  serviceType: z
    .string()
    .refine(...atMost(5))
    .default("")
    .describe("service_type of each message; most centres want none"),
  bind: z
    .enum(["transceiver", "separate"])
    .default("transceiver")
    .describe("one bind for both directions, or a transmitter and a receiver each (separate)"),
  alphabet: z
    .enum(["gsm", "latin1", "ascii"])
    .default("gsm")
    .describe("default alphabet of the centre (data_coding 0): GSM 03.38, Latin-1 or ASCII"),
  idRadix: z
    .enum(["as-is", "hex-to-decimal", "decimal-to-hex"])
    .default("as-is")
    .describe("how message ids in responses to submit_sm relate to those in receipts; as-is unless given"),
  longText: z
    .enum(["udh", "sar", "payload"])
    .default("udh")
    .describe("how long texts go: parts with a header (udh) or with SAR fields (sar), or in one piece (payload)"),
  window: whole(1, 1_000, 10, "submits that may wait for a response at once on a bind"),
  sessions: whole(1, 32, 1, "binds at once"),
  shortCodeTon: whole(0, 6, 3, "type of number (TON) of short codes"),
});

export type SmppSettings = z.output<typeof smppSettings>;

/** Address of the message centre, as {@link smppSettings} has checked it. */
export function targetOf(address: string): Target {
  const url = new URL(address);
  const isSecure = url.protocol === "ssmpp:";
  const port = Number(url.port) || (isSecure ? PORT_SECURE : PORT_PLAIN);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, isSecure };
}

/** Reads a delivery: a delivery receipt, a message from a handset, or an event that we do not process. */
import { reportFrom } from "../http/callback-content";
import type { Inbound, Report } from "../port";
import type { FailureReason } from "../schema";
import { type Alphabet, decodeText } from "./text";
import type { Pdu } from "./wire";

/** How the id in submit_sm_resp relates to the id in receipts. */
export type IdRadix = "as-is" | "hex-to-decimal" | "decimal-to-hex";

export type Delivered =
  | { kind: "receipt"; report: Report }
  /** `unreadable`: why its text was replaced by an empty one; null: it was not. */
  | { kind: "inbound"; inbound: Inbound; unreadable: string | null }
  | { kind: "ignored"; reason: string };

const TYPE_MASK = 0x3c;
const TYPE = { message: 0x00, receipt: 0x04, intermediate: 0x20 };
const HAS_HEADER = 0x40;
const UCS_2 = 8;

type State = readonly [status: Report["status"], detail: string];

const SENT: State = ["sent", "No final state."];
const DELIVERED: State = ["delivered", "The message was delivered."];
const EXPIRED: State = ["undelivered", "The message's validity period ended."];
const DELETED: State = ["failed", "The message was deleted."];
const UNDELIVERABLE: State = ["undelivered", "The message could not be delivered."];
const REJECTED: State = ["failed", "The message was rejected."];
const SKIPPED: State = ["failed", "The message was skipped."];

/** By message_state. */
const STATES = [SENT, SENT, DELIVERED, EXPIRED, DELETED, UNDELIVERABLE, SENT, SENT, REJECTED, SKIPPED];

/** By the first five letters of the text form's `stat`, which centres write in full or shorten to seven. */
const STATS: ReadonlyMap<string, State> = new Map([
  ["SCHED", SENT],
  ["ENROU", SENT],
  ["DELIV", DELIVERED],
  ["EXPIR", EXPIRED],
  ["DELET", DELETED],
  ["UNDEL", UNDELIVERABLE],
  ["ACCEP", SENT],
  ["UNKNO", SENT],
  ["REJEC", REJECTED],
  ["SKIPP", SKIPPED],
]);

/**
 * The reason of a failure by our text about the receipt. Centres number the errors of their networks arbitrarily, so only the state has a
 * meaning; undefined: it has none.
 */
export const reasonOfReceipt = (detail: string): FailureReason | undefined =>
  detail === EXPIRED[1] ? "expired" : undefined;

/** Normal form of an id: equal ids are the same text. Some centres pad ids with spaces. */
const plainId = (id: string): string =>
  id
    .trim()
    .toLowerCase()
    .replace(/^0+(?=.)/, "");

/** The id of a submit_sm_resp in the notation of receipts; "" when there is none. */
export function submittedId(filled: string, radix: IdRadix): string {
  const id = filled.trim();
  if (radix === "hex-to-decimal" && /^[0-9a-f]+$/i.test(id)) return BigInt(`0x${id}`).toString();
  if (radix === "decimal-to-hex" && /^\d+$/.test(id)) return BigInt(id).toString(16);
  return plainId(id);
}

/**
 * The whole form of Appendix B, with spaces or commas. Some centres send it with esm_class 0, like a message from a handset.
 * People can write such a text, too: anything but the complete form counts as a person's message, and the report names its
 * recipient.
 */
const UNMARKED =
  /^id:[^\s,]+[\s,]+sub:\d+[\s,]+dlvrd:\d+[\s,]+submit date:\d{10,14}[\s,]+done date:\d{10,14}[\s,]+stat:[a-z]{5,13}[\s,]+err:[^\s,]+([\s,]+text:|[\s,]*$)/i;

/**
 * Reads a deliver_sm or a data_sm, whose text is always in message_payload. Never throws.
 * @param inboundId id of the message if it is from a handset: SMPP has none for those.
 * @param alphabet default alphabet of the centre.
 */
export function readDeliver(pdu: Pdu, inboundId: string, alphabet: Alphabet = "gsm"): Delivered {
  const type = (pdu.number("esm_class") ?? 0) & TYPE_MASK;
  const isReceipt = type === TYPE.receipt || type === TYPE.intermediate || pdu.text("receipted_message_id") !== "";
  if (isReceipt) return readReceipt(pdu, type === TYPE.intermediate);
  if (type === TYPE.message && UNMARKED.test(formText(pdu, withoutHeader(pdu)))) {
    const receipt = readReceipt(pdu, false);
    if (receipt.kind === "receipt") {
      const { source: recipient = "", ...report } = receipt.report;
      return { kind: "receipt", report: { ...report, recipient } };
    }
  }
  if (type !== TYPE.message) return { kind: "ignored", reason: "an acknowledgement by the handset" };
  const dataCoding = pdu.number("data_coding") ?? 0;
  const text = decodeText(withoutHeader(pdu), dataCoding, alphabet);
  const [from, to] = [pdu.text("source_addr"), pdu.text("destination_addr")];
  const inbound = { providerMessageId: inboundId, from, to, text: text ?? "" };
  // Customers should know that somebody wrote, even if the text cannot be read.
  return { kind: "inbound", inbound, unreadable: text === null ? `no text: data_coding ${dataCoding}` : null };
}

function octetsOf(pdu: Pdu): Buffer {
  const short = pdu.octets("short_message");
  return short && short.length > 0 ? short : (pdu.octets("message_payload") ?? Buffer.alloc(0));
}

function withoutHeader(pdu: Pdu): Buffer {
  const octets = octetsOf(pdu);
  return (pdu.number("esm_class") ?? 0) & HAS_HEADER ? octets.subarray((octets[0] ?? 0) + 1) : octets;
}

type TextForm = { id: string; stat: string; err: string };

const TEXT_FIELDS = {
  id: /(?:^|[\s,;])id:\s*([^\s,;]+)/i,
  stat: /(?:^|[\s,;])stat:\s*([^\s,;]+)/i,
  err: /(?:^|[\s,;])err:\s*([^\s,;]+)/i,
};

/** Not in the default alphabet: centres write receipts in ASCII, where `_` and `@` are other octets than in GSM 03.38. */
const formText = (pdu: Pdu, octets: Buffer): string =>
  pdu.number("data_coding") === UCS_2 ? (decodeText(octets, UCS_2) ?? "") : octets.toString("latin1");

/**
 * The usual text of a receipt: `id:… sub:… stat:… err:… text:…`, in any order and case, with spaces or commas between;
 * any may be missing. Some centres announce a header (UDHI) that is not there.
 */
function readTextForm(pdu: Pdu): TextForm {
  const bare = formText(pdu, withoutHeader(pdu));
  const whole = /\bid:|\bstat:/i.test(bare) ? bare : formText(pdu, octetsOf(pdu));
  const [beforeText = ""] = whole.split(/\btext:/i);
  const searched = /\bid:/i.test(beforeText) ? beforeText : whole;
  const field = (name: keyof TextForm) => TEXT_FIELDS[name].exec(searched)?.[1] ?? "";
  return { id: field("id"), stat: field("stat"), err: field("err") };
}

/** Some centres omit the NUL at its end, so the start of the next parameter is read with it. */
const receiptedId = (pdu: Pdu): string => /^[\x21-\x7e]+/.exec(pdu.text("receipted_message_id"))?.[0] ?? "";

function readReceipt(pdu: Pdu, isIntermediate: boolean): Delivered {
  const form = readTextForm(pdu);
  const id = receiptedId(pdu) || form.id;
  const state = STATES[pdu.number("message_state") ?? -1] ?? STATS.get(form.stat.slice(0, 5).toUpperCase());
  if (id === "" || !state) return { kind: "ignored", reason: "a receipt without an id or a state" };
  const [status, detail] = isIntermediate ? SENT : state;
  // The time is not used: `done date` has no time zone, and each centre writes it in its own.
  const report = reportFrom({
    providerMessageId: plainId(id),
    reference: null,
    status,
    code: failureCode(pdu, form, status),
    detail,
  });
  const source = pdu.text("source_addr");
  return { kind: "receipt", report: source === "" ? report : { ...report, source } };
}

/** network_error_code has one octet for the kind of network and two for the code. */
function failureCode(pdu: Pdu, form: TextForm, status: string): string {
  const network = pdu.octets("network_error_code");
  const number = network?.length === 3 ? network.readUInt16BE(1) : 0;
  if (number !== 0) return String(number);
  return /^0*$/.test(form.err) ? (form.stat || status).toLowerCase() : form.err;
}

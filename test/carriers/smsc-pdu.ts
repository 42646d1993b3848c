/** PDUs of SMPP 3.4 as the emulated centre reads and writes them. */
import { createRequire } from "node:module";
import type { Server, Socket } from "node:net";
import type { Reported, TakenMessage } from "./carrier";

/** A PDU as the package decodes it; its fields by their names in the protocol. */
export type Pdu = {
  command: string;
  isResponse: () => boolean;
  response: (fields?: object) => Pdu;
  [field: string]: unknown;
};
export type Session = {
  socket: Socket;
  send: (pdu: Pdu) => boolean;
  deliver_sm: (fields: object, answered: (answer: Pdu) => void) => boolean;
  on: ((event: "pdu", listener: (pdu: Pdu) => void) => void) &
    ((event: "error" | "close", listener: () => void) => void);
  destroy: () => void;
};
type Smpp = { createServer: (onSession: (session: Session) => void) => Server };

// The package has no types; these are the parts that a centre needs.
export const smpp = createRequire(import.meta.url)("smpp") as Smpp;

/** Values of command_status. */
export const STATUS = {
  messageLength: 0x01,
  unknownCommand: 0x03,
  notBound: 0x04,
  alreadyBound: 0x05,
  system: 0x08,
  sourceAddress: 0x0a,
  destination: 0x0b,
  bindFailed: 0x0d,
  password: 0x0e,
  systemId: 0x0f,
  throttled: 0x58,
  esmClass: 0x43,
  dataCoding: 0x104,
} as const;
const RECEIPT = {
  sent: { stat: "ACCEPTD", state: 6, error: 0 },
  delivered: { stat: "DELIVRD", state: 2, error: 0 },
  undelivered: { stat: "UNDELIV", state: 5, error: 27 },
  failed: { stat: "REJECTD", state: 8, error: 21 },
} satisfies Record<Reported, { stat: string; state: number; error: number }>;

const ESM_RECEIPT = 0x04;
const CODING = { standard: 0, ucs2: 8 } as const;
const GSM_NETWORK = 3;
const SHORT_MESSAGE_MAX = { septets: 160, octets: 140 } as const;
const UDH_OCTETS = 6;

/** A text field; empty when it is missing. */
export const textField = (pdu: Pdu, name: string): string => (typeof pdu[name] === "string" ? pdu[name] : "");
/** A number field; 0 when it is missing. */
export const numberField = (pdu: Pdu, name: string): number => (typeof pdu[name] === "number" ? pdu[name] : 0);

type Content = { text: string; elements: Buffer[] };

const contentIn = (value: unknown): Content => {
  if (typeof value !== "object" || value === null || !("message" in value)) return { text: "", elements: [] };
  const elements = "udh" in value && Array.isArray(value.udh) ? value.udh.filter(Buffer.isBuffer) : [];
  return { text: typeof value.message === "string" ? value.message : "", elements };
};

export type Part = { text: string; sequence: number; total: number; reference: string | null };

/** Content of a submit_sm: a whole message, or the part of one by user data header or by SAR parameters. */
export function partOf(pdu: Pdu): Part {
  const payload = contentIn(pdu.message_payload);
  const { text, elements } = payload.text === "" ? contentIn(pdu.short_message) : payload;
  for (const element of elements) {
    if (element[0] !== 0x00 && element[0] !== 0x08) continue;
    const [sequence = 0, total = 0] = [element.at(-1), element.at(-2)];
    return { text, sequence, total, reference: `udh ${element.subarray(2, -2).toString("hex")}` };
  }
  const total = numberField(pdu, "sar_total_segments");
  if (total < 2) return { text, sequence: 1, total: 1, reference: null };
  return { text, sequence: numberField(pdu, "sar_segment_seqnum"), total, reference: `sar ${pdu.sar_msg_ref_num}` };
}

const septetsOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + ("\f^{}\\[~]|€".includes(character) ? 2 : 1), 0);

function exceedsShortMessage(pdu: Pdu, part: Part): boolean {
  if (pdu.message_payload !== undefined) return false;
  const header = part.reference === null ? 0 : UDH_OCTETS;
  return pdu.data_coding === CODING.ucs2
    ? part.text.length * 2 + header > SHORT_MESSAGE_MAX.octets
    : septetsOf(part.text) + Math.ceil((header * 8) / 7) > SHORT_MESSAGE_MAX.septets;
}

/** The command_status for an invalid submit_sm; 0: it is valid. */
export function statusOfFault(pdu: Pdu, part: Part): number {
  const destination = textField(pdu, "destination_addr");
  if (pdu.dest_addr_ton !== 1 || pdu.dest_addr_npi !== 1) return STATUS.destination;
  if (!/^[1-9]\d{6,14}$/.test(destination)) return STATUS.destination;
  const source = textField(pdu, "source_addr");
  const type = `${pdu.source_addr_ton}/${pdu.source_addr_npi}`;
  const isNumber = /^[1-9]\d{6,14}$/.test(source) && type === "1/1";
  const isShortCode = /^\d{3,8}$/.test(source) && (type === "3/0" || type === "6/0");
  const isName = /^(?=.*[A-Za-z])[A-Za-z0-9 ._-]{1,11}$/.test(source) && type === "5/0";
  if (!isNumber && !isShortCode && !isName) return STATUS.sourceAddress;
  if (pdu.data_coding !== CODING.standard && pdu.data_coding !== CODING.ucs2) return STATUS.dataCoding;
  if (part.sequence < 1 || part.sequence > part.total) return STATUS.esmClass;
  if (part.text === "" || exceedsShortMessage(pdu, part)) return STATUS.messageLength;
  return 0;
}

const minuteOf = (at: Date): string => at.toISOString().replace(/\D/g, "").slice(2, 12);

/** Fields of the deliver_sm with a receipt for one id; `withParameters`: with the optional parameters, not only the text. */
export function receiptFields(
  message: TakenMessage,
  id: string,
  status: Reported,
  doneAt: Date,
  withParameters: boolean,
) {
  const { stat, state, error } = RECEIPT[status];
  const failed = String(error).padStart(3, "0");
  const excerpt = message.text.slice(0, 20).replace(/[^A-Za-z0-9 ]/g, "?");
  const delivered = status === "delivered" ? "001" : "000";
  const dates = `submit date:${minuteOf(message.takenAt)} done date:${minuteOf(doneAt)}`;
  return {
    ...addresses(message.to, message.from),
    esm_class: ESM_RECEIPT,
    data_coding: CODING.standard,
    short_message: `id:${id} sub:001 dlvrd:${delivered} ${dates} stat:${stat} err:${failed} text:${excerpt}`,
    ...(withParameters && {
      receipted_message_id: id,
      message_state: state,
      network_error_code: Buffer.from([GSM_NETWORK, 0, error]),
    }),
  };
}

function addresses(from: string, to: string) {
  const isName = /[A-Za-z]/.test(to);
  return {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: from.replace("+", ""),
    dest_addr_ton: isName ? 5 : 1,
    dest_addr_npi: isName ? 0 : 1,
    destination_addr: to.replace("+", ""),
  };
}

/** Fields of the deliver_sm with a message from a handset. */
export function inboundFields({ from, to, text }: { from: string; to: string; text: string }) {
  const isStandard = /^[A-Za-z0-9 \r\n.,:;!?()'"+*/=<>&%#-]*$/.test(text);
  const fits = isStandard ? text.length <= SHORT_MESSAGE_MAX.septets : text.length * 2 <= SHORT_MESSAGE_MAX.octets;
  return {
    ...addresses(from, to),
    esm_class: 0,
    data_coding: isStandard ? CODING.standard : CODING.ucs2,
    [fits ? "short_message" : "message_payload"]: text,
  };
}

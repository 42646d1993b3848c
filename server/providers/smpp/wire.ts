/** SMPP 3.4 on the wire: PDUs to and from octets. */
import smpp from "smpp";

const HEADER_OCTETS = 16;
/**
 * Longest PDU that is read: a message_payload may have 64 KiB. The package's own limit is 16 KiB; a longer PDU would get no response,
 * and the centre would repeat it on each bind.
 */
const PDU_MAX_OCTETS = 0x11000;
smpp.PDU.maxLength = PDU_MAX_OCTETS;

/** command_status of a success. */
export const STATUS_OK = 0;

/** A received PDU. Texts are ASCII without the NUL at their end; `octets` are as sent, not decoded. */
export type Pdu = {
  command: string;
  status: number;
  sequence: number;
  isResponse: boolean;
  text: (field: string) => string;
  number: (field: string) => number | null;
  octets: (field: string) => Buffer | null;
};

/**
 * Switches off the package's filters, which decode texts wrongly (IA5 as GSM 03.38, for example) and throw at malformed
 * dates. Without them fields are received and sent unchanged.
 */
const UNFILTERED: PropertyDescriptorMap = { _filter: { value: () => undefined } };

/** Encodes a PDU. `fields` have the package's names; message texts are octets. */
export function encodePdu(command: string, fields: Record<string, unknown>): Buffer {
  return Object.defineProperties(new smpp.PDU(command, fields), UNFILTERED).toBuffer();
}

/** Decodes one PDU of at least a header's length. Fields after a truncated one are missing. Never throws. */
export function decodePdu(frame: Buffer): Pdu {
  const pdu: smpp.PDU = Object.create(smpp.PDU.prototype, UNFILTERED);
  try {
    pdu.fromBuffer(frame);
  } catch {
    // A centre repeats a PDU without a response, so a bad parameter must not end the connection each time.
  }
  return {
    command: pdu.command,
    status: pdu.command_status,
    sequence: pdu.sequence_number,
    isResponse: pdu.isResponse(),
    text: (field) => {
      const value = pdu[field];
      return typeof value === "string" ? value : "";
    },
    number: (field) => {
      const value = pdu[field];
      return typeof value === "number" ? value : null;
    },
    octets: (field) => {
      const value = pdu[field];
      return Buffer.isBuffer(value) ? value : null;
    },
  };
}

/**
 * Splits a stream into PDUs and passes each to `take`.
 * @returns a function that takes the next octets. It throws when they are not SMPP, and must not be called after that.
 */
export function frameReader(take: (pdu: Pdu) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0);
      if (length < HEADER_OCTETS || length > PDU_MAX_OCTETS) throw new RangeError(`a PDU of ${length} octets`);
      if (rest.length < length) return;
      const pdu = decodePdu(rest.subarray(0, length));
      rest = rest.subarray(length);
      take(pdu);
    }
  };
}

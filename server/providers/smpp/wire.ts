/** SMPP 3.4 on the wire: PDUs to and from octets. */
import smpp from "smpp";

const HEADER_OCTETS = 16;

/** command_status of an answer that says yes. */
export const STATUS_OK = 0;

/** A PDU as it came. Texts are NUL-terminated ASCII without the NUL; `octets` are as sent, nothing decoded. */
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
 * The package turns texts into strings by its own idea of the alphabets (IA5 as GSM 03.38, for one) and fails at dates
 * that are out of form. Without its filters every field stays what was sent, and what we give is sent as it is.
 */
const UNFILTERED: PropertyDescriptorMap = { _filter: { value: () => undefined } };

/** A PDU as octets. `fields` in the package's names; texts of messages as octets. */
export function encodePdu(command: string, fields: Record<string, unknown>): Buffer {
  return Object.defineProperties(new smpp.PDU(command, fields), UNFILTERED).toBuffer();
}

/** Reads one PDU of at least a header's length. Fields after one that is cut off are missing. Never throws. */
export function decodePdu(frame: Buffer): Pdu {
  const pdu: smpp.PDU = Object.create(smpp.PDU.prototype, UNFILTERED);
  try {
    pdu.fromBuffer(frame);
  } catch {
    // A centre repeats what is not answered, so one bad parameter must not end the connection each time.
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
 * Cuts a stream into PDUs and hands each to `take`.
 * @returns what takes the next octets of the stream; it throws when they cannot be SMPP, and is of no use after that.
 */
export function frameReader(take: (pdu: Pdu) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0);
      if (length < HEADER_OCTETS || length > smpp.PDU.maxLength) throw new RangeError(`a PDU of ${length} octets`);
      if (rest.length < length) return;
      const pdu = decodePdu(rest.subarray(0, length));
      rest = rest.subarray(length);
      take(pdu);
    }
  };
}

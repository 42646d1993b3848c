/** Types for the parts of the package that we use; it has no types itself. */
declare module "smpp" {
  import type { EventEmitter } from "node:events";
  import type { Server, Socket } from "node:net";

  namespace smpp {
    type Fields = Record<string, unknown>;

    class PDU {
      static maxLength: number;
      constructor(command: string, fields?: Fields);
      command: string;
      command_status: number;
      sequence_number: number;
      fromBuffer(frame: Buffer): void;
      isResponse(): boolean;
      response(fields?: Fields): PDU;
      toBuffer(): Buffer;
      [field: string]: unknown;
    }

    class Session extends EventEmitter {
      socket: Socket;
      send(pdu: PDU): boolean;
      data_sm(fields: Fields, onResponse?: (response: PDU) => void): boolean;
      deliver_sm(fields: Fields, onResponse?: (response: PDU) => void): boolean;
      enquire_link(fields: Fields, onResponse?: (response: PDU) => void): boolean;
      unbind(fields: Fields, onResponse?: (response: PDU) => void): boolean;
      close(onClosed?: () => void): void;
      destroy(onClosed?: () => void): void;
    }

    function createServer(onSession: (session: Session) => void): Server;
    const errors: Readonly<Record<string, number>>;
  }

  export = smpp;
}

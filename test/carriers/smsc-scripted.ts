/** A message service centre on loopback that responds to each PDU as its test wants, for tests of the adapter alone. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import smpp from "smpp";

/** Responds to a submit_sm, or does not. `place`: its number, from 1. */
export type OnSubmit = (pdu: smpp.PDU, session: smpp.Session, place: number) => void;

export const accept: OnSubmit = (pdu, session, place) => void session.send(pdu.response({ message_id: `0A${place}` }));

/** Responds to every submit_sm with a command_status. */
export const refuse =
  (status: number): OnSubmit =>
  (pdu, session) =>
    void session.send(pdu.response({ command_status: status }));

/** Has the centre deliver something. @returns the response. */
export const deliver = (
  session: smpp.Session | undefined,
  fields: Record<string, unknown>,
  command: "deliver_sm" | "data_sm" = "deliver_sm",
): Promise<smpp.PDU> => new Promise((resolve) => session?.[command](fields, resolve));

/** The fields of a receipt for `id`: delivered. */
export const receiptOf = (id: string) => ({
  esm_class: 4,
  receipted_message_id: id,
  message_state: 2,
  short_message: "",
});

/** Starts a centre that takes every bind and accepts every message until its test changes that. */
export async function openCentre(onSubmit: OnSubmit = accept, port = 0) {
  const centre = {
    url: "",
    port: 0,
    /** command_status of the response to a bind. */
    bindStatus: 0,
    bindStatusOf: (_pdu: smpp.PDU): number => centre.bindStatus,
    respondToBind: (pdu: smpp.PDU, session: smpp.Session): void =>
      void session.send(pdu.response({ command_status: centre.bindStatusOf(pdu) })),
    /** Called after a bind or an enquire_link got its response. */
    afterResponse: (_command: "bind" | "enquire_link"): void => undefined,
    respondsToEnquiries: true,
    binds: [] as smpp.PDU[],
    sessions: [] as smpp.Session[],
    submits: [] as smpp.PDU[],
    /** Every received command, in order. */
    commands: [] as string[],
    onSubmit,
    /** How often a command was received. */
    times: (command: string) => centre.commands.filter((other) => other === command).length,
    close: async () => {
      for (const session of centre.sessions) session.destroy();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
  const server = smpp.createServer((session) => {
    centre.sessions.push(session);
    session.on("error", () => session.destroy());
    session.on("pdu", (pdu: smpp.PDU) => {
      centre.commands.push(pdu.command);
      if (pdu.command === "submit_sm") centre.onSubmit(pdu, session, centre.submits.push(pdu));
      else if (pdu.command.startsWith("bind_")) {
        centre.binds.push(pdu);
        centre.respondToBind(pdu, session);
        centre.afterResponse("bind");
      } else if (pdu.command === "enquire_link") {
        if (!centre.respondsToEnquiries) return;
        session.send(pdu.response());
        centre.afterResponse(pdu.command);
      } else if (!pdu.isResponse()) session.send(pdu.response());
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  centre.port = (server.address() as AddressInfo).port;
  centre.url = `smpp://127.0.0.1:${centre.port}`;
  return centre;
}

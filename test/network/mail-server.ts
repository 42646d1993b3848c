/** A mail server on loopback that keeps what it receives. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = { from: string; to: string; raw: string };

export type MailServer = {
  /** The value for SMTP_URL. */
  url: string;
  received: ReceivedMail[];
  /** Reply to the next emails instead of accepting them; null: they are accepted. */
  refuseWith: (code: number | null) => void;
  close: () => Promise<void>;
};

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: number | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: async (stream, { envelope }, done) => {
      const raw = await text(stream);
      if (refusal !== null) return done(Object.assign(new Error("refused by the test"), { responseCode: refusal }));
      const { mailFrom, rcptTo } = envelope;
      received.push({ from: mailFrom ? mailFrom.address : "", to: rcptTo.map(({ address }) => address).join(), raw });
      done();
    },
  });
  const { server: socket } = server;
  server.listen(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    url: `smtp://127.0.0.1:${(socket.address() as AddressInfo).port}`,
    received,
    refuseWith: (code) => {
      refusal = code;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The links of an email's plain text. Long lines are wrapped by quoted-printable. */
export function linksIn({ raw }: ReceivedMail): string[] {
  const unwrapped = raw.replace(/=\r\n/g, "").replace(/=3D/g, "=");
  return [...new Set(unwrapped.match(/https?:\/\/[^\s"<]+/g) ?? [])];
}

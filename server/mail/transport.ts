/** The connection to the mail server. */
import { createTransport } from "nodemailer";
import { env, publicUrl } from "../core/env";
import { isBounced } from "./bounce";
import type { Composed } from "./compose";

/** A server that is silent for this long is given up until the next try. */
const TIMEOUT_MS = 20_000;

/**
 * Hands an email to the mail server. Its Message-ID follows from `id`, so that readers show one that was sent twice, after a
 * crash, as one.
 * @returns why the server refuses it for good; null when it took it.
 * @throws Error when it could not be reached, or refuses for now.
 */
export async function deliverMail(
  id: string,
  address: string,
  { subject, text, html }: Composed,
): Promise<string | null> {
  const transport = createTransport(env().SMTP_URL ?? "", {
    from: env().MAIL_FROM,
    headers: { "Auto-Submitted": "auto-generated" },
  });
  const { host } = new URL(publicUrl());
  Object.assign(transport.options, {
    connectionTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
  });
  try {
    await transport.sendMail({ to: { name: "", address }, subject, text, html, messageId: `<${id}@${host}>` });
    return null;
  } catch (thrown) {
    if (isBounced(thrown)) return thrown.message;
    throw thrown;
  } finally {
    transport.close();
  }
}

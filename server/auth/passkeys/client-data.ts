import { z } from "zod";

const ClientData = z.object({ challenge: z.string().max(200), origin: z.string().max(2_048) });

/** The challenge that was signed and the page that had it signed; null if the text is malformed. Nothing of it is verified here. */
export function clientDataOf(clientDataJson: string): z.output<typeof ClientData> | null {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(clientDataJson, "base64url").toString("utf8")));
  } catch {
    return null;
  }
}

import { inShell } from "@/server/api/document/code-literals";
import type { MessageDetail } from "@/server/messages/schema";

type Sent = Pick<MessageDetail["message"], "from" | "to" | "body" | "metadata" | "validity_period">;

/**
 * The request that sends a message with the same content at once. The key is left to the reader: only its hash is stored.
 * @param origin of the service, such as `https://sms.example`.
 */
export function curlOf(origin: string, { message, reference }: { message: Sent; reference: string | null }): string {
  const { from, to, body, metadata, validity_period } = message;
  const optional = Object.entries({ reference, metadata, validity_period }).filter(([, value]) => value !== null);
  return [
    `curl -X POST ${origin}/api/v1/messages/send`,
    `  -H "Authorization: Bearer $API_KEY"`,
    `  -H "Content-Type: application/json"`,
    `  -d ${inShell(JSON.stringify({ from, to, body, ...Object.fromEntries(optional) }))}`,
  ].join(" \\\n");
}

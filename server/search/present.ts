import type { Found } from "./schema";

/** A message: to whom, and from whom. */
export const foundMessage = (row: {
  id: string;
  to: string;
  from: string;
  status: string;
  created_at: string;
}): Found => ({
  kind: "message",
  id: row.id,
  title: row.to,
  detail: `from ${row.from}, ${row.status}`,
  message_id: null,
  created_at: row.created_at,
});

/** A webhook endpoint. */
export const foundEndpoint = (row: { id: string; url: string; description: string | null }): Found => ({
  kind: "webhook_endpoint",
  id: row.id,
  title: row.url,
  detail: row.description ?? row.id,
  message_id: null,
  created_at: null,
});

/** An event, which is shown on the page of its message. */
export const foundEvent = (row: { id: string; type: string; messageId: string }): Found => ({
  kind: "event",
  id: row.id,
  title: row.type,
  detail: row.id,
  message_id: row.messageId,
  created_at: null,
});

/** An API key: its name and the end of it, never more. */
export const foundKey = (row: { id: string; name: string; keyHint: string; revokedAt: Date | null }): Found => ({
  kind: "api_key",
  id: row.id,
  title: row.name,
  detail: row.revokedAt ? `${row.keyHint}, revoked` : row.keyHint,
  message_id: null,
  created_at: null,
});

/** A sender with its status. */
export const foundSender = (row: { id: string; senderId: string; status: string }): Found => ({
  kind: "sender",
  id: row.id,
  title: row.senderId,
  detail: row.status,
  message_id: null,
  created_at: null,
});

/** Operator: an account. */
export const foundAccount = (row: { id: string; name: string; email: string }): Found => ({
  kind: "account",
  id: row.id,
  title: row.name,
  detail: row.email,
  message_id: null,
  created_at: null,
});

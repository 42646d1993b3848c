import type { Suppression as SuppressionRow } from "@/prisma/generated/client";
import type { Suppression } from "./schema";

/** Row -> wire. Every sender is the empty sender ID in the database, where null would be no part of a unique key. */
export const presentSuppression = (row: SuppressionRow): Suppression => ({
  id: row.id,
  object: "suppression",
  number: row.number,
  sender_id: row.senderId === "" ? null : row.senderId,
  reason: row.reason as Suppression["reason"],
  note: row.note,
  created_at: row.createdAt.toISOString(),
});

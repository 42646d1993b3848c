import type { Suppression as SuppressionRow } from "@/prisma/generated/client";
import type { Suppression } from "./schema";

/** Row -> wire. The database stores "every sender" as an empty sender ID, since nulls are distinct in a unique key. */
export const presentSuppression = (row: SuppressionRow): Suppression => ({
  id: row.id,
  object: "suppression",
  number: row.number,
  sender_id: row.senderId === "" ? null : row.senderId,
  reason: row.reason as Suppression["reason"],
  note: row.note,
  created_at: row.createdAt.toISOString(),
});

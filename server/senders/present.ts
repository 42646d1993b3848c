import type { Sender as SenderRow } from "@/prisma/generated/client";
import { isTestAccount } from "../core/ids";
import { isoOrNull } from "../core/wire";
import type { Sender } from "./schema";

/** Row -> wire. */
export const presentSender = (row: SenderRow): Sender => ({
  id: row.id,
  object: "sender",
  livemode: !isTestAccount(row.accountId),
  sender_id: row.senderId,
  type: row.type as Sender["type"],
  country_code: row.countryCode,
  status: row.status as Sender["status"],
  status_reason: row.status === "rejected" || row.status === "suspended" ? row.statusReason : null,
  dlt_entity_id: row.dltEntityId,
  dlt_template_id: row.dltTemplateId,
  dlt_template_category: row.dltTemplateCategory as Sender["dlt_template_category"],
  approved_at: isoOrNull(row.approvedAt),
  created_at: row.createdAt.toISOString(),
});

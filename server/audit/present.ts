import { deviceName } from "../auth/sessions/device-name";
import { ACTOR_KINDS, type ActorKind, type AuditEntry } from "./schema";

/** Columns of an entry; `actorName`: the email of a person, or the name of a key. */
export type AuditRow = {
  id: string;
  accountId: string | null;
  actorKind: string;
  actorId: string | null;
  actorName: string | null;
  action: string;
  subjectId: string | null;
  address: string | null;
  userAgent: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  isTest: boolean;
  createdAt: Date;
};

/** Customers do not see which operator acted, or from where. */
const isOurs = (kind: ActorKind): boolean => kind === "operator" || kind === "command" || kind === "system";

/** Row -> wire. @param forOperator whether an operator sees it. */
export function presentAudit(row: AuditRow, forOperator: boolean): AuditEntry {
  // A later version may know further kinds: they count as ours.
  const kind = ACTOR_KINDS.find((known) => known === row.actorKind) ?? "system";
  const isHidden = !forOperator && isOurs(kind);
  return {
    id: row.id,
    object: "audit_entry",
    action: row.action,
    account_id: row.accountId,
    actor: {
      kind,
      id: isHidden ? null : row.actorId,
      name: isHidden ? null : row.actorName,
    },
    subject_id: row.subjectId,
    address: isHidden ? null : row.address,
    device: isHidden || row.userAgent === null ? null : deviceName(row.userAgent),
    livemode: !row.isTest,
    before: row.before,
    after: row.after,
    created_at: row.createdAt.toISOString(),
  };
}

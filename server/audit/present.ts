import { deviceName } from "../auth/sessions/device-name";
import { AUDIT_ACTIONS } from "./actions";
import { ACTOR_KINDS, type AuditEntry } from "./schema";

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

const among = <Value extends string>(values: readonly Value[], text: string, otherwise: Value): Value =>
  values.find((value) => value === text) ?? otherwise;

/** Customers do not see which operator acted, or from where. */
const isOurs = (kind: string): boolean => kind === "operator" || kind === "command" || kind === "system";

/** Row -> wire. @param forOperator whether an operator sees it. */
export function presentAudit(row: AuditRow, forOperator: boolean): AuditEntry {
  const isHidden = !forOperator && isOurs(row.actorKind);
  return {
    id: row.id,
    object: "audit_entry",
    action: among(AUDIT_ACTIONS, row.action, "account.created"),
    account_id: row.accountId,
    actor: {
      kind: among(ACTOR_KINDS, row.actorKind, "system"),
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

/** Writes the audit log, in the transaction of the change that is recorded. */
import type { Actor } from "../core/actor";
import type { Queryable } from "../core/db";
import { isTestAccount, liveAccountOf, newId } from "../core/ids";
import { storableText } from "../core/wire";
import type { AuditAction } from "./actions";
import type { ActorKind, AuditValues } from "./schema";

const USER_AGENT_MAX = 300;

/** `accountId`: the account that the change concerns, or its test-mode twin; null: the installation. */
type Change = {
  action: AuditAction;
  accountId: string | null;
  subjectId?: string | null;
  /** A change has both; values that are the same in both are left out. Never secrets. */
  before?: AuditValues;
  after?: AuditValues;
};

type By = { kind: ActorKind; id: string | null };

function byOf(actor: Actor, accountId: string | null): By {
  if (actor.kind === "apiKey") return { kind: "key", id: actor.keyId };
  if (actor.kind === "system") return { kind: actor.name === "admin" ? "command" : "system", id: actor.name };
  if (actor.isOperator && liveAccountOf(actor.accountId) !== accountId) return { kind: "operator", id: actor.userId };
  // Without a session it is a command that acts in the person's name.
  return { kind: actor.sessionId === undefined ? "command" : "user", id: actor.userId };
}

function differences(before: AuditValues | undefined, after: AuditValues | undefined) {
  if (!before || !after) return { before, after };
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (values: AuditValues): AuditValues =>
    Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
  return { before: pick(before), after: pick(after) };
}

/** Records one change. A change of a test-mode twin goes into the log of its live account, and is marked as such. */
export async function recordAudit(tx: Queryable, actor: Actor, change: Change): Promise<void> {
  const { action, subjectId = null } = change;
  const accountId = change.accountId === null ? null : liveAccountOf(change.accountId);
  const isTest = change.accountId !== null && isTestAccount(change.accountId);
  const by = byOf(actor, accountId);
  const { before, after } = differences(change.before, change.after);
  await tx.query(
    `INSERT INTO audit_entries (id, account_id, actor_kind, actor_id, action, subject_id, address, user_agent, before, after, is_test)
     VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''), nullif($8, ''), $9::jsonb, $10::jsonb, $11)`,
    [
      newId("audit"),
      accountId,
      by.kind,
      by.id,
      action,
      subjectId,
      actor.origin?.address ?? "",
      storableText(actor.origin?.userAgent ?? "", USER_AGENT_MAX),
      before ? JSON.stringify(before) : null,
      after ? JSON.stringify(after) : null,
      isTest,
    ],
  );
}

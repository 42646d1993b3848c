import { z } from "zod";
import { DateTime, PageQuery } from "../core/wire";
import { AUDIT_ACTIONS } from "./actions";

export const ACTOR_KINDS = ["user", "key", "operator", "command", "system"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Values of a thing that changed, by their names; never a secret. */
export const AuditValues = z.record(z.string(), z.unknown());
export type AuditValues = Record<string, string | number | boolean | null | readonly string[]>;

/** Console: an entry. Members of an account see operators only as `operator`. */
export const AuditEntry = z.object({
  id: z.string(),
  object: z.literal("audit_entry"),
  /** One of {@link AUDIT_ACTIONS}, or one that a later version has recorded. */
  action: z.string(),
  account_id: z.string().nullable(),
  actor: z.object({ kind: z.enum(ACTOR_KINDS), id: z.string().nullable(), name: z.string().nullable() }),
  subject_id: z.string().nullable(),
  address: z.string().nullable(),
  device: z.string().nullable(),
  livemode: z.boolean(),
  before: AuditValues.nullable(),
  after: AuditValues.nullable(),
  created_at: DateTime,
});
export type AuditEntry = z.output<typeof AuditEntry>;

export const ListAuditQuery = z.object({
  ...PageQuery,
  action: z.enum(AUDIT_ACTIONS).optional(),
});
export type ListAuditQuery = z.output<typeof ListAuditQuery>;

/** `search`: the id of an account, of who acted, or of what was acted on. */
export const OperatorAuditQuery = ListAuditQuery.extend({ search: z.string().trim().max(64).optional() });
export type OperatorAuditQuery = z.output<typeof OperatorAuditQuery>;

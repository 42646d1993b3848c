import { operatorProcedure, ownerProcedure, router } from "../core/trpc";
import { pageOf } from "../core/wire";
import { AuditEntry, ListAuditQuery, OperatorAuditQuery } from "./schema";
import { listAllAudit, listAudit } from "./service";

/** Console only. */
export const auditRouter = router({
  list: ownerProcedure
    .input(ListAuditQuery)
    .output(pageOf(AuditEntry))
    .query(({ ctx, input }) => listAudit(ctx.actor, input)),
  listAll: operatorProcedure
    .input(OperatorAuditQuery)
    .output(pageOf(AuditEntry))
    .query(({ ctx, input }) => listAllAudit(ctx.actor, input)),
});

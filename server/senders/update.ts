import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import type { AccountActor } from "../core/actor";
import { notFound } from "../core/errors";
import { type DltColumns, requireDltEntity } from "./dlt";
import type { Sender, UpdateSenderInput } from "./schema";
import { getSender } from "./service";

const auditOf = ({ dltEntityId, dltTemplateId, dltTemplateCategory }: DltColumns) => ({
  dlt_entity_id: dltEntityId,
  dlt_template_id: dltTemplateId,
  dlt_template_category: dltTemplateCategory,
});

const given = <Value>(value: Value | undefined, before: Value): Value => (value === undefined ? before : value);

/**
 * Changes the ids of a sender's registration in India that are given; null takes one away.
 * @throws 404, 400 `dlt_entity_missing`
 */
export async function updateSender(actor: AccountActor, { id, ...input }: UpdateSenderInput): Promise<Sender> {
  const { accountId } = actor;
  await transactionBy(actor, async (tx) => {
    const { rows } = await tx.query<DltColumns>(
      `SELECT dlt_entity_id AS "dltEntityId", dlt_template_id AS "dltTemplateId",
         dlt_template_category AS "dltTemplateCategory"
       FROM senders WHERE id = $1 AND account_id = $2 FOR NO KEY UPDATE`,
      [id, accountId],
    );
    const [before] = rows;
    if (!before) throw notFound("There is no such sender.", { param: "id" });
    const after: DltColumns = {
      dltEntityId: given(input.dlt_entity_id, before.dltEntityId),
      dltTemplateId: given(input.dlt_template_id, before.dltTemplateId),
      dltTemplateCategory: given(input.dlt_template_category, before.dltTemplateCategory),
    };
    requireDltEntity(after);
    await tx.query(
      "UPDATE senders SET dlt_entity_id = $2, dlt_template_id = $3, dlt_template_category = $4 WHERE id = $1",
      [id, after.dltEntityId, after.dltTemplateId, after.dltTemplateCategory],
    );
    const change = { action: "sender.updated", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before: auditOf(before), after: auditOf(after) });
  });
  return getSender(actor, id);
}

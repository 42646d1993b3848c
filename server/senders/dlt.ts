import { invalidRequest } from "../core/errors";

/** Ids of the registration of a sender in India (DLT); null: there is none. */
export type DltColumns = {
  dltEntityId: string | null;
  dltTemplateId: string | null;
  dltTemplateCategory: string | null;
};

/** Refuses a template without the entity that registered it: no carrier takes one. @throws 400 `dlt_entity_missing` */
export function requireDltEntity({ dltEntityId, dltTemplateId, dltTemplateCategory }: DltColumns): void {
  if (dltEntityId !== null || (dltTemplateId === null && dltTemplateCategory === null)) return;
  throw invalidRequest("A DLT template needs its registered entity: send dlt_entity_id too.", {
    param: "dlt_entity_id",
    reason: "dlt_entity_missing",
  });
}

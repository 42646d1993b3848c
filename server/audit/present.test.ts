import { expect, test } from "vitest";
import { type AuditRow, presentAudit } from "./present";
import { AuditEntry } from "./schema";

const ROW: AuditRow = {
  ...{ id: "aud_1", accountId: "acc_1", actorKind: "user", actorId: "usr_1", actorName: "one@example.com" },
  ...{ action: "account.updated", subjectId: null, address: "192.0.2.1", userAgent: null, before: null, after: null },
  ...{ isTest: false, createdAt: new Date(0) },
};

test("an action that this version does not know is shown as it is, never as another one", () => {
  const entry = presentAudit({ ...ROW, action: "account.archived" }, false);
  expect(entry.action).toBe("account.archived");
  expect(AuditEntry.parse(entry)).toEqual(entry);
});

test("customers do not see who acted in a way that this version does not know", () => {
  const row = { ...ROW, actorKind: "support" };
  expect(presentAudit(row, false)).toMatchObject({ actor: { kind: "system", id: null, name: null }, address: null });
  expect(presentAudit(row, true).actor).toEqual({ kind: "system", id: "usr_1", name: "one@example.com" });
});

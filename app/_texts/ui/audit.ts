import type { AuditEntry } from "@/server/audit/schema";
import { defineTexts } from "../define-texts";

/** `api_key.created` -> `API key created`. */
const wordsOf = (action: string): string => {
  const words = action.replace(/[._]/g, " ").replace(/\bapi\b/, "API");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const en = {
  action: "Action",
  anything: "Anything",
  log: "Audit log",
  nothingRecorded: "Nothing was recorded",
  did: (action: string) => wordsOf(action),
  inTestMode: "in test mode",
  values: "Values",
  field: (name: string) => `${name.replaceAll("_", " ")}:`,
  by: "By",
  kinds: {
    user: "Person",
    key: "API key",
    operator: "Operator",
    command: "Command line",
    system: "Service",
  } satisfies Record<AuditEntry["actor"]["kind"], string>,
  from: "From",
  when: "When",
  account: "Account",
  installation: "Installation",
};

/** The texts of the audit log. */
export const auditTexts = defineTexts({ en });

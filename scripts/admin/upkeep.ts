/** Commands that check and correct the whole installation. */
import { z } from "zod";
import { rebuildUsage } from "@/server/accounts/rebuild-usage";
import { checkLedger } from "@/server/accounts/tasks";
import { checkAudit } from "@/server/audit/check-digests";
import { fromMicros } from "@/server/core/wire";
import { rebuildListTotals } from "@/server/lists/rebuild";
import { resealSecrets } from "@/server/operator/reseal";
import { type Command, done, OPERATOR } from "./command";
import { requireSecretKey } from "./database";
import { type Flags, parseInput, text } from "./flags";

async function checkBooks() {
  const { accounts, drifted } = await checkLedger();
  const output = {
    accounts,
    drifted: drifted.map((drift) => ({
      accountId: drift.accountId,
      balance: fromMicros(drift.balanceMicros),
      ledger: fromMicros(drift.ledgerMicros),
      held: fromMicros(drift.reservedMicros),
      ledgerHeld: fromMicros(drift.ledgerReservedMicros),
      forgotten: fromMicros(drift.forgottenMicros),
      ledgerForgotten: fromMicros(drift.ledgerForgottenMicros),
      faultyMessages: drift.faultyMessages,
    })),
  };
  return { output, ok: drifted.length === 0 };
}

const AuditCheckInput = z.object({
  since: z.iso.date("must be a UTC day such as 2026-01-31").optional(),
  noted: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, "must be a SHA-256 of 64 hexadecimal digits")
    .toLowerCase()
    .optional(),
});

async function checkAuditLog(flags: Flags) {
  const input = parseInput(AuditCheckInput, { since: text(flags, "since"), noted: text(flags, "noted") });
  const { newest, isNoted, faults, ...counts } = await checkAudit(input);
  const output = {
    ...counts,
    newest: newest && { number: String(newest.number), day: newest.day, sha256: newest.sha256 },
    ...(isNoted === null ? {} : { noted: isNoted ? "found" : "not found" }),
    faults: faults.map(({ number, ...fault }) => ({ number: String(number), ...fault })),
  };
  return { output, ok: faults.length === 0 && isNoted !== false };
}

async function reseal() {
  requireSecretKey();
  const columns = await resealSecrets(OPERATOR);
  return { output: columns, ok: columns.every(({ lost }) => lost === 0) };
}

/** These commands by their names. */
export const UPKEEP: readonly (readonly [string, Command])[] = [
  ["ledger check", { run: checkBooks, options: [] }],
  ["audit check", { run: checkAuditLog, options: ["since", "noted"] }],
  ["rebuild list-totals", { run: async () => done({ corrected: await rebuildListTotals() }), options: [] }],
  ["rebuild usage", { run: async () => done({ corrected: await rebuildUsage() }), options: [] }],
  ["secrets reseal", { run: reseal, options: [] }],
];

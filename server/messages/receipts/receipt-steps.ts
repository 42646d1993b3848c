/** Maps a receipt to steps of its message. Pure. */
import type { ReceiptReport } from "../../core/jobs";
import type { Step } from "../steps";
import { storedCode, storedDetail } from "../stored-text";

/** Steps that follow from a receipt. It proves that the provider took the message, so `sent` always comes first. */
export function stepsOf(provider: string, report: ReceiptReport, at: Date): Step[] {
  const sent: Step = { to: "sent", at, provider, providerMessageId: report.providerMessageId };
  if (report.status === "sent") return [sent];
  if (report.status === "delivered") return [sent, { to: "delivered", at }];
  const code = storedCode(report.code ?? report.status);
  const message = storedDetail(report.detail ?? `The carrier reported ${report.status}.`);
  return [sent, { to: report.status, at, error: { code, message } }];
}

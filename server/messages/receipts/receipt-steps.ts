/** What a receipt means for its message. Pure. */
import type { ReceiptReport } from "../../core/jobs";
import { storableText } from "../../core/wire";
import { isFinal } from "../status";
import type { Step } from "../transitions";

const DETAIL_MAX = 500;
const CODE_MAX = 100;

/** Index of the last step that can have been applied: the first final one, or the last of all. */
export function lastApplied(steps: readonly Step[]): number {
  const final = steps.findIndex((step) => isFinal(step.to));
  return final === -1 ? steps.length - 1 : final;
}

/** A receipt proves that the provider took the message, so a pending one becomes sent before anything else. */
export function stepsOf(provider: string, report: ReceiptReport, at: Date): Step[] {
  const sent: Step = { to: "sent", at, provider, providerMessageId: report.providerMessageId };
  if (report.status === "sent") return [sent];
  if (report.status === "delivered") return [sent, { to: "delivered", at }];
  const code = storableText(report.code ?? report.status, CODE_MAX);
  return [
    sent,
    {
      to: report.status,
      at,
      error: { code, message: storableText(report.detail ?? `The carrier reported ${report.status}.`, DETAIL_MAX) },
    },
  ];
}

import { accountWordsTexts as texts } from "@/app/_texts/operator/account-words";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedAccount } from "@/server/operator/schema";

/** Whether an account may send. */
export function AccountStatus({ status }: Pick<OperatedAccount, "status">) {
  return (
    <StatusBadge tone={status === "active" ? "success" : "danger"}>
      {status === "active" ? texts.active : texts.suspended}
    </StatusBadge>
  );
}

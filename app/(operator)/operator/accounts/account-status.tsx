import { accountWordsTexts as texts } from "@/app/_texts/operator/account-words";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedAccount } from "@/server/operator/schema";

/** Whether an account may send. `isInvited`: nobody owns it yet. */
export function AccountStatus({
  status,
  isInvited = false,
}: Pick<OperatedAccount, "status"> & { isInvited?: boolean }) {
  if (status === "active" && isInvited) return <StatusBadge tone="warning">{texts.noOwnerYet}</StatusBadge>;
  return (
    <StatusBadge tone={status === "active" ? "success" : "danger"}>
      {status === "active" ? texts.active : texts.suspended}
    </StatusBadge>
  );
}

/** The person behind an account, whose name is not known before they have accepted its invitation. */
export const contactOf = ({ name, email }: Pick<OperatedAccount, "name" | "email">): string =>
  name ? `${name}, ${email}` : email;

"use client";

import { accountWordsTexts as texts } from "@/app/_texts/operator/account-words";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import type { OperatedAccount } from "@/server/operator/schema";

const LimitsForm = lazily(() => import("./limits-form").then((file) => ({ default: file.LimitsForm })));

/** Edits the limits of an account. Its fields are loaded when it opens first. */
export function LimitsDialog({
  account,
  countries,
  onClose,
}: {
  account: OperatedAccount | null;
  countries: readonly string[];
  onClose: () => void;
}) {
  return (
    <FormModal
      opened={account !== null}
      onClose={onClose}
      title={texts.limitsOf(account?.company_name || account?.name || "")}
    >
      {account && <LimitsForm account={account} countries={countries} onDone={onClose} />}
    </FormModal>
  );
}

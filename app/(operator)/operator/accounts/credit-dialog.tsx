"use client";

import { useRef } from "react";
import { accountWordsTexts } from "@/app/_texts/operator/account-words";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import type { KeptKeys } from "@/app/_ui/forms/use-idempotency-key";
import type { OperatedAccount } from "@/server/operator/schema";

const CreditForm = lazily(() => import("./credit-form").then((file) => ({ default: file.CreditForm })));

/** Credits an account; a negative amount corrects an earlier credit. Its fields are loaded when it opens first. */
export function CreditDialog({ account, onClose }: { account: OperatedAccount | null; onClose: () => void }) {
  const texts = accountWordsTexts.crediting;
  // They outlive the form: a credit whose response was lost, and that is entered once more, is still booked once.
  const usedKeys = useRef<KeptKeys>({});
  return (
    <FormModal
      opened={account !== null}
      onClose={onClose}
      title={texts.title(account?.company_name || account?.name || "")}
    >
      {account && <CreditForm account={account} usedKeys={usedKeys} onDone={onClose} />}
    </FormModal>
  );
}

"use client";

import { NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { accountWordsTexts } from "@/app/_texts/operator/account-words";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { toastDone } from "@/app/_ui/toast";
import { formatMoney } from "@/app/_ui/values/money";
import type { OperatedAccount } from "@/server/operator/schema";

const NOTE_MAX = 255;
/** Money is kept in micro-units. */
const DECIMALS = 6;
const INITIAL: { amount: number | string; note: string } = { amount: "", note: "" };

/** Credits an account; a negative amount corrects an earlier credit. */
export function CreditDialog({ account, onClose }: { account: OperatedAccount | null; onClose: () => void }) {
  const texts = accountWordsTexts.crediting;
  const utils = trpc.useUtils();
  const form = useForm({
    mode: "controlled",
    initialValues: INITIAL,
    validate: { amount: (value) => (typeof value === "number" ? null : texts.enterAmount) },
  });
  const errors = useFormErrors(form);
  const credit = trpc.operator.credit.useMutation({
    onSuccess: ({ name, company_name, balance, currency }) => {
      toastDone(texts.done(company_name || name, formatMoney(balance, currency)));
      onClose();
      return Promise.all([utils.operator.invalidate(), utils.accounts.invalidate()]);
    },
    onError: errors.show,
  });

  function submit({ amount, note }: typeof INITIAL) {
    if (!account) return;
    errors.clear();
    credit.mutate({ account_id: account.id, amount: Number(amount), note: note.trim() || undefined });
  }

  return (
    <FormModal
      opened={account !== null}
      onClose={onClose}
      onExitTransitionEnd={() => {
        form.reset();
        errors.clear();
      }}
      title={texts.title(account?.company_name || account?.name || "")}
    >
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          {account && (
            <Text size="sm" c="dimmed">
              {texts.currentBalance(formatMoney(account.balance, account.currency))}
            </Text>
          )}
          <NumberInput
            label={texts.amountIn(account?.currency ?? "")}
            description={texts.amountHint}
            decimalScale={DECIMALS}
            thousandSeparator=","
            hideControls
            data-autofocus
            {...form.getInputProps("amount")}
          />
          <TextInput
            label={texts.note}
            description={texts.noteHint}
            maxLength={NOTE_MAX}
            {...form.getInputProps("note")}
          />
          <ErrorAlert error={errors.unplaced} />
          <FormButtons submit={texts.submit} busy={credit.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </FormModal>
  );
}

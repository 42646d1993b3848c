"use client";

import { NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
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
  const utils = trpc.useUtils();
  const form = useForm({
    mode: "controlled",
    initialValues: INITIAL,
    validate: { amount: (value) => (typeof value === "number" ? null : "Enter an amount") },
  });
  const errors = useFormErrors(form);
  const credit = trpc.operator.credit.useMutation({
    onSuccess: ({ name, company_name, balance, currency }) => {
      toastDone(`${company_name || name} now has ${formatMoney(balance, currency)}.`);
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
      title={`Credit ${account?.company_name || account?.name || ""}`}
    >
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          {account && (
            <Text size="sm" c="dimmed">
              Current balance: {formatMoney(account.balance, account.currency)}
            </Text>
          )}
          <NumberInput
            label={`Amount in ${account?.currency ?? ""}`}
            description="Use a negative amount to correct an earlier credit"
            decimalScale={DECIMALS}
            thousandSeparator=","
            hideControls
            data-autofocus
            {...form.getInputProps("amount")}
          />
          <TextInput
            label="Note"
            description="Optional; kept in the ledger"
            maxLength={NOTE_MAX}
            {...form.getInputProps("note")}
          />
          <ErrorAlert error={errors.unplaced} />
          <FormButtons submit="Credit account" busy={credit.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </FormModal>
  );
}

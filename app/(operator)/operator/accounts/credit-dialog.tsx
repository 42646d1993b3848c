"use client";

import { Button, Group, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { markFields } from "@/app/_ui/forms/form-errors";
import { FormModal } from "@/app/_ui/forms/form-modal";
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
  const [unplaced, setUnplaced] = useState<unknown>(null);
  const form = useForm({
    mode: "controlled",
    initialValues: INITIAL,
    validate: { amount: (value) => (typeof value === "number" ? null : "Enter an amount") },
  });
  const credit = trpc.operator.credit.useMutation({
    onSuccess: ({ name, company_name, balance, currency }) => {
      toastDone(`${company_name || name} now has ${formatMoney(balance, currency)}.`);
      onClose();
      return Promise.all([utils.operator.accounts.invalidate(), utils.accounts.invalidate()]);
    },
    onError: (error) => {
      if (!markFields(form, error)) setUnplaced(error);
    },
  });

  function submit({ amount, note }: typeof INITIAL) {
    if (!account) return;
    setUnplaced(null);
    credit.mutate({ account_id: account.id, amount: Number(amount), note: note.trim() || undefined });
  }

  return (
    <FormModal
      opened={account !== null}
      onClose={onClose}
      onExitTransitionEnd={() => {
        form.reset();
        setUnplaced(null);
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
          <ErrorAlert error={unplaced} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={credit.isPending}>
              Credit account
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}

"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { RefObject } from "react";
import { accountWordsTexts } from "@/app/_texts/operator/account-words";
import { trpc } from "@/app/_trpc/client";
import { OnceAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { type KeptKeys, useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { toastDone } from "@/app/_ui/toast";
import { type EnteredNumber, isNumber } from "@/app/_ui/values/entered-number";
import { formatMoney } from "@/app/_ui/values/money";
import type { OperatedAccount } from "@/server/operator/schema";

const NOTE_MAX = 255;
/** Money is kept in micro-units. */
const DECIMALS = 6;

/** The amount and the note of a credit. `usedKeys` outlive the form. */
export function CreditForm({
  account,
  usedKeys,
  onDone,
}: {
  account: OperatedAccount;
  usedKeys: RefObject<KeptKeys>;
  onDone: () => void;
}) {
  const texts = accountWordsTexts.crediting;
  const utils = trpc.useUtils();
  const credit = useOnce(utils.client.operator.credit.mutate, {
    kept: usedKeys,
    late: { failed: texts.failed, unknown: texts.unknown, next: texts.lookFirst },
    onSuccess: ({ id, name, company_name, balance, currency }) =>
      toastDone(texts.done(company_name || name, id, formatMoney(balance, currency))),
    onSettled: () => {
      void utils.operator.invalidate();
      void utils.accounts.invalidate();
    },
  });
  const form = useForm<{ amount: EnteredNumber; note: string }>({
    mode: "controlled",
    initialValues: { amount: "", note: "" },
    validate: { amount: (amount) => (isNumber(amount) ? null : texts.enterAmount) },
  });
  const errors = useFormErrors(form);
  const submit = form.onSubmit(({ amount, note }) => {
    errors.clear();
    credit.mutate(
      { account_id: account.id, amount: Number(amount), note: note.trim() || undefined },
      // Not called once the dialog was closed: it may be open for another account.
      { onSuccess: onDone, onError: errors.show },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {texts.currentBalance(formatMoney(account.balance, account.currency))}
        </Text>
        <NumberField
          label={texts.amountIn(account.currency)}
          description={texts.amountHint}
          decimals={DECIMALS}
          data-autofocus
          {...form.getInputProps("amount")}
        />
        <TextInput
          label={texts.note}
          description={texts.noteHint}
          maxLength={NOTE_MAX}
          {...form.getInputProps("note")}
        />
        <OnceAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} />
        <FormButtons submit={texts.submit} busy={credit.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}

"use client";

import { Text } from "@mantine/core";
import { sendingLimitsTexts } from "@/app/_texts/settings/sending-limits";
import { trpc } from "@/app/_trpc/client";
import { isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";
import { type EnteredNumber, numberOrNull, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import { formatMoney } from "@/app/_ui/values/money";
import type { Account } from "@/server/accounts/schema";
import { SendingCard } from "./sending-card";

const DECIMALS = 6;

/** The most that the account spends in a UTC day, as its owners set it, within the operator's cap. */
export function SpendingCapCard({ account, canEdit }: { account: Account; canEdit: boolean }) {
  const texts = sendingLimitsTexts.spending;
  const utils = trpc.useUtils();
  const { sending_limits: limits, currency } = account;
  const save = useChange(utils.client.accounts.setDailySpendCap.mutate, {
    look: async (asked) => {
      const found = await utils.client.accounts.get.query();
      return isHeld(found.sending_limits, asked) ? found : undefined;
    },
    late: { failed: texts.notSaved },
    onSettled: () => void utils.accounts.get.invalidate(),
  });
  const form = useStoredForm<{ daily_spend_cap: EnteredNumber }>(
    { daily_spend_cap: limits.daily_spend_cap ?? "" },
    { validate: { daily_spend_cap: optionalNumberProblem } },
  );
  useLeaveQuestion(form.isDirty());
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    save.mutate(
      { daily_spend_cap: numberOrNull(values.daily_spend_cap) },
      {
        onSuccess: () => {
          form.resetDirty(values);
          toastDone(texts.saved);
        },
        onError: errors.show,
      },
    );
  });
  const operators = limits.operator.daily_spend_cap;
  return (
    <SendingCard
      id="daily-spending-cap"
      title={texts.title}
      explanation={texts.explanation}
      onSubmit={submit}
      submit={canEdit ? texts.submit : null}
      isBusy={save.isPending}
      reserved={sendingLimitsTexts.ownersOnly}
    >
      <Text size="sm">
        {operators === null ? texts.noOperators : texts.operators(formatMoney(operators, currency))}
      </Text>
      <SaveAlert error={errors.unplaced} title={texts.notSaved} isStored={isHeld(limits, save.variables)} />
      <NumberField
        label={texts.cap(currency)}
        description={texts.hint}
        decimals={DECIMALS}
        readOnly={!canEdit}
        {...form.getInputProps("daily_spend_cap")}
      />
    </SendingCard>
  );
}

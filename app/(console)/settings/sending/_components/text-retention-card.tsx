"use client";

import { sendingLimitsTexts } from "@/app/_texts/settings/sending-limits";
import { textRetentionTexts as texts } from "@/app/_texts/settings/text-retention";
import { trpc } from "@/app/_trpc/client";
import { ifHolds, isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";
import { formatCount } from "@/app/_ui/values/count";
import { type EnteredNumber, numberOrNull } from "@/app/_ui/values/entered-number";
import type { Account } from "@/server/accounts/schema";
import { SendingCard, sendingGuide } from "./sending-card";

const DAYS_MAX = 3_650;

function daysProblem(entered: EnteredNumber): string | null {
  if (entered === "") return null;
  const days = Number(entered);
  return Number.isInteger(days) && days >= 1 && days <= DAYS_MAX ? null : texts.wholeDays(formatCount(DAYS_MAX));
}

/** For how many days the account keeps the texts of its messages. */
export function TextRetentionCard({ account, canEdit }: { account: Account; canEdit: boolean }) {
  const utils = trpc.useUtils();
  const { text_retention_days: days } = account;
  const save = useChange(utils.client.accounts.setTextRetention.mutate, {
    look: async (asked) => ifHolds(await utils.client.accounts.get.query(), asked),
    late: { failed: texts.notSaved },
    onSettled: () => void utils.accounts.get.invalidate(),
  });
  const form = useStoredForm<{ text_retention_days: EnteredNumber }>(
    { text_retention_days: days ?? "" },
    { validate: { text_retention_days: daysProblem } },
  );
  useLeaveQuestion(form.isDirty());
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    save.mutate(
      { text_retention_days: numberOrNull(values.text_retention_days) },
      {
        onSuccess: () => {
          form.resetDirty(values);
          toastDone(texts.saved);
        },
        onError: errors.show,
      },
    );
  });
  return (
    <SendingCard
      id="text-retention"
      title={texts.title}
      explanation={texts.explanation(sendingGuide("delete-texts-by-age"))}
      onSubmit={submit}
      submit={canEdit ? texts.submit : null}
      isBusy={save.isPending}
      reserved={sendingLimitsTexts.ownersOnly}
    >
      <SaveAlert error={errors.unplaced} title={texts.notSaved} isStored={isHeld(account, save.variables)} />
      <NumberField
        label={texts.days}
        description={texts.hint}
        readOnly={!canEdit}
        {...form.getInputProps("text_retention_days")}
      />
    </SendingCard>
  );
}

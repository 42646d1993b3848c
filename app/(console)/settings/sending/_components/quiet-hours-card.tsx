"use client";

import { SimpleGrid, Switch, TextInput } from "@mantine/core";
import { sendingTexts as texts } from "@/app/_texts/settings/sending";
import { trpc } from "@/app/_trpc/client";
import { ifHolds, isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { DraftNote } from "@/app/_ui/drafts/draft-note";
import { useFormDraft } from "@/app/_ui/drafts/use-draft";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";
import type { QuietHours } from "@/server/accounts/schema";
import { SendingCard, sendingGuide } from "./sending-card";

/** The hours in most rules against calls at night. */
const USUAL: QuietHours = { starts_at: "21:00", ends_at: "08:00" };

/** Quiet hours of the account: on or off, start and end. */
export function QuietHoursCard({ hours, canEdit }: { hours: QuietHours | null; canEdit: boolean }) {
  const utils = trpc.useUtils();
  const save = useChange(utils.client.accounts.setQuietHours.mutate, {
    look: async (asked) => ifHolds(await utils.client.accounts.get.query(), asked),
    late: { failed: texts.quietHours.notSaved },
    onSettled: () => void utils.accounts.get.invalidate(),
  });
  const stored = { isOn: hours !== null, ...(hours ?? USUAL) };
  const form = useStoredForm(stored, {
    validate: {
      starts_at: (starts, { isOn }) => (isOn && starts === "" ? texts.quietHours.enterTime : null),
      ends_at: (ends, { isOn, starts_at }) => {
        if (isOn && ends === "") return texts.quietHours.enterTime;
        return isOn && ends === starts_at ? texts.quietHours.sameAsStart : null;
      },
    },
  });
  const errors = useFormErrors(form);
  const draft = useFormDraft("quiet hours", form, stored);
  const { isOn } = form.values;
  const submit = form.onSubmit((values) => {
    const { starts_at, ends_at } = values;
    errors.clear();
    save.mutate(
      { quiet_hours: isOn ? { starts_at, ends_at } : null },
      {
        onSuccess: () => {
          form.resetDirty(values);
          toastDone(isOn ? texts.quietHours.saved : texts.quietHours.off);
        },
        onError: errors.show,
      },
    );
  });
  return (
    <SendingCard
      id="quiet-hours"
      title={texts.quietHours.title}
      explanation={texts.quietHours.explanation(sendingGuide("quiet-hours"))}
      onSubmit={submit}
      submit={canEdit ? texts.quietHours.submit : null}
      isBusy={save.isPending}
      reserved={texts.quietHours.developersOnly}
    >
      <DraftNote draft={draft} />
      <SaveAlert
        error={errors.unplaced}
        title={texts.quietHours.notSaved}
        isStored={isHeld({ quiet_hours: hours }, save.variables)}
      />
      <Switch label={texts.quietHours.keep} disabled={!canEdit} {...form.getInputProps("isOn", { type: "checkbox" })} />
      {isOn && (
        <SimpleGrid cols={2} spacing="md">
          <TextInput
            label={texts.quietHours.from}
            type="time"
            readOnly={!canEdit}
            {...form.getInputProps("starts_at")}
          />
          <TextInput
            label={texts.quietHours.until}
            type="time"
            readOnly={!canEdit}
            {...form.getInputProps("ends_at")}
          />
        </SimpleGrid>
      )}
    </SendingCard>
  );
}

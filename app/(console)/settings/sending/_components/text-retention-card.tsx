"use client";

import { Anchor, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { textRetentionTexts as texts } from "@/app/_texts/settings/text-retention";
import { trpc } from "@/app/_trpc/client";
import { ifHolds, isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { toastDone } from "@/app/_ui/toast";
import { formatCount } from "@/app/_ui/values/count";
import { type EnteredNumber, numberOrNull } from "@/app/_ui/values/entered-number";
import type { Account } from "@/server/accounts/schema";

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
    <Card component="section" aria-labelledby="text-retention" padding="lg">
      <form onSubmit={submit} noValidate aria-label={texts.title}>
        <Stack gap="md" maw={560}>
          <Stack gap={4}>
            <Title order={2} size="h4" id="text-retention">
              {texts.title}
            </Title>
            <Text size="sm" c="dimmed">
              {texts.explanation((words) => (
                <Anchor component={SiteLink} href="/docs/sending#delete-texts-by-age" underline="always" inherit>
                  {words}
                </Anchor>
              ))}
            </Text>
          </Stack>
          <SaveAlert error={errors.unplaced} title={texts.notSaved} isStored={isHeld(account, save.variables)} />
          <NumberField
            label={texts.days}
            description={texts.hint}
            readOnly={!canEdit}
            {...form.getInputProps("text_retention_days")}
          />
          {canEdit ? (
            <Group>
              <Button type="submit" loading={save.isPending}>
                {texts.submit}
              </Button>
            </Group>
          ) : (
            <Text size="sm" c="dimmed">
              {texts.ownersOnly}
            </Text>
          )}
        </Stack>
      </form>
    </Card>
  );
}

"use client";

import { Button, Card, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { profileTexts as texts } from "@/app/_texts/settings/profile";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { ifHolds, isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { DraftNote } from "@/app/_ui/drafts/draft-note";
import { useFormDraft } from "@/app/_ui/drafts/use-draft";
import { Choice } from "@/app/_ui/forms/choice";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";
import { CopyButton } from "@/app/_ui/values/copy-button";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import type { Account } from "@/server/accounts/schema";

/** Name, company and country of the account. Owners edit them, others read them. */
export function AccountCard({
  account,
  countries,
  canEdit,
}: {
  account: Account;
  countries: readonly string[];
  canEdit: boolean;
}) {
  const utils = trpc.useUtils();
  const save = useChange(utils.client.accounts.updateProfile.mutate, {
    look: async (asked) => ifHolds(await utils.client.accounts.get.query(), asked),
    late: { failed: texts.account.notSaved },
    onSettled: () => void Promise.all([utils.accounts.invalidate(), utils.members.memberships.invalidate()]),
  });
  const { name, company_name, country } = account;
  const stored = { name, company_name, country };
  const form = useStoredForm(stored);
  const draft = useFormDraft("account", form, stored);
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    save.mutate(values, {
      onSuccess: () => {
        toastDone(texts.account.saved);
        form.resetDirty(values);
      },
      onError: errors.show,
    });
  });
  const options = countries
    .map((code) => ({ value: code, label: texts.account.countryAndCode(countryNameOrCode(code), code) }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return (
    <Card component="section" aria-labelledby="account" padding="lg">
      <form onSubmit={submit} noValidate aria-label={texts.account.title}>
        <Stack gap="md" maw={420}>
          <Stack gap={4}>
            <Title order={2} size="h4" id="account">
              {texts.account.title}
            </Title>
            <Group gap={4} wrap="nowrap">
              <Text size="sm" c="dimmed" className="mono break-word">
                {account.id}
              </Text>
              <CopyButton value={account.id} label={texts.account.copyId} />
            </Group>
          </Stack>
          <DraftNote draft={draft} />
          <SaveAlert error={errors.unplaced} title={texts.account.notSaved} isStored={isHeld(stored, save.variables)} />
          <TextInput label={texts.account.name} readOnly={!canEdit} {...form.getInputProps("name")} />
          <TextInput
            label={texts.account.company}
            readOnly={!canEdit}
            description={sharedTexts.optional}
            {...form.getInputProps("company_name")}
          />
          <Choice
            label={texts.account.country}
            placeholder={texts.account.noCountry}
            disabled={!canEdit}
            data={options}
            {...form.getInputProps("country")}
            value={form.values.country || null}
            onChange={(code) => form.setFieldValue("country", code ?? "")}
          />
          {canEdit ? (
            <Group>
              <Button type="submit" loading={save.isPending}>
                {texts.account.submit}
              </Button>
            </Group>
          ) : (
            <Text size="sm" c="dimmed">
              {texts.account.ownersOnly}
            </Text>
          )}
        </Stack>
      </form>
    </Card>
  );
}

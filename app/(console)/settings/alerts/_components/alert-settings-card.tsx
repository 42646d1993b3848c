"use client";

import { Button, Card, Group, Stack, Switch, TextInput, Title } from "@mantine/core";
import { alertsTexts as texts } from "@/app/_texts/settings/alerts";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { Notice } from "@/app/_ui/notice";
import { toastDone } from "@/app/_ui/toast";
import { type EnteredNumber, numberOrNull, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { AlertSettings } from "@/server/alerts/schema";

/** In the place of a secret whose response was lost. */
const LOST = "lost";

type Values = { low_balance: EnteredNumber; by_mail: boolean; url: string };

/** The threshold of the balance, and where alerts go. */
export function AlertSettingsCard({ settings }: { settings: AlertSettings }) {
  const utils = trpc.useUtils();
  const { data: account } = trpc.accounts.get.useQuery();
  const update = useChange(utils.client.alerts.update.mutate, {
    look: async (asked) => {
      const found = ifHolds(await utils.client.alerts.get.query(), asked);
      return found && { ...found, signing_secret: asked.url === null || asked.url === settings.url ? null : LOST };
    },
    onSettled: () => void utils.alerts.get.invalidate(),
  });
  const stored: Values = {
    low_balance: settings.low_balance ?? "",
    by_mail: settings.by_mail,
    url: settings.url ?? "",
  };
  const form = useStoredForm<Values>(stored, { validate: { low_balance: optionalNumberProblem } });
  // Not a draft: an address may be a secret.
  useLeaveQuestion(form.isDirty());
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    const { low_balance, by_mail, url } = values;
    errors.clear();
    const input = { low_balance: numberOrNull(low_balance), by_mail, url: url.trim() || null };
    update.mutate(input, {
      onSuccess: () => {
        toastDone(texts.settings.saved);
        form.resetDirty(values);
      },
      onError: errors.show,
    });
  });
  const secret = update.data?.signing_secret;
  return (
    <Card component="section" aria-labelledby="alert-settings" padding="lg">
      <form onSubmit={submit} noValidate aria-label={texts.settings.form}>
        <Stack gap="md" maw={480}>
          <Title order={2} size="h4" id="alert-settings">
            {texts.settings.title}
          </Title>
          <SaveAlert error={errors.unplaced} title={texts.settings.notSaved} isStored={!form.isDirty()} />
          <NumberField
            label={texts.settings.lowBalance}
            description={texts.settings.lowBalanceHint}
            decimals={2}
            suffix={account ? ` ${account.currency}` : ""}
            {...form.getInputProps("low_balance")}
          />
          <Switch
            label={texts.settings.byMail}
            description={settings.mail_is_set ? undefined : texts.settings.noMail}
            {...form.getInputProps("by_mail", { type: "checkbox" })}
          />
          <TextInput
            label={texts.settings.url}
            description={texts.settings.urlHint}
            placeholder="https://example.com/alerts"
            type="url"
            autoComplete="off"
            {...form.getInputProps("url")}
          />
          <Group>
            <Button type="submit" loading={update.isPending}>
              {texts.settings.submit}
            </Button>
          </Group>
          {secret === LOST && <Notice title={texts.settings.lostSecret}>{texts.settings.newSecret}</Notice>}
          {secret && secret !== LOST && (
            <>
              <Notice title={texts.settings.copySecret}>{texts.settings.secretUse}</Notice>
              <SecretValue label={texts.settings.secret} value={secret} />
            </>
          )}
        </Stack>
      </form>
    </Card>
  );
}

"use client";

import { Button, Card, Group, Stack, Switch, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { alertsTexts as texts } from "@/app/_texts/settings/alerts";
import { trpc } from "@/app/_trpc/client";
import { ifHolds, isHeld, isUnknown } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NumberField } from "@/app/_ui/forms/number-field";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";
import { type EnteredNumber, numberOrNull, optionalNumberProblem } from "@/app/_ui/values/entered-number";
import { storedUrl } from "@/app/_ui/values/stored-url";
import type { AlertSettings } from "@/server/alerts/schema";
import { AlertSecret } from "./alert-secret";

type Values = { low_balance: EnteredNumber; unusual_traffic_from: EnteredNumber; by_mail: boolean; url: string };

/** The thresholds of the balance and of traffic, and where alerts go. */
export function AlertSettingsCard({ settings }: { settings: AlertSettings }) {
  const utils = trpc.useUtils();
  const { data: account } = trpc.accounts.get.useQuery();
  const update = useChange(utils.client.alerts.update.mutate, {
    look: async (asked) => {
      const found = ifHolds(await utils.client.alerts.get.query(), asked);
      return found && { ...found, signing_secret: null };
    },
    late: { failed: texts.settings.notSaved },
    onSettled: () => void utils.alerts.get.invalidate(),
  });
  const stored: Values = {
    low_balance: settings.low_balance ?? "",
    unusual_traffic_from: settings.unusual_traffic_from ?? "",
    by_mail: settings.by_mail,
    url: settings.url ?? "",
  };
  const form = useStoredForm<Values>(stored, {
    validate: { low_balance: optionalNumberProblem, unusual_traffic_from: optionalNumberProblem },
  });
  // Not a draft: an address may be a secret.
  useLeaveQuestion(form.isDirty());
  const errors = useFormErrors(form);
  const [secret, setSecret] = useState<{ ofUrl: string; text: string } | null>(null);
  const submit = form.onSubmit((values) => {
    const { low_balance, unusual_traffic_from, by_mail, url } = values;
    errors.clear();
    const input = {
      low_balance: numberOrNull(low_balance),
      unusual_traffic_from: numberOrNull(unusual_traffic_from),
      by_mail,
      url: storedUrl(url) || null,
    };
    // Any try that is carried out makes a secret, and the response to another may be the one that arrives.
    if (input.url !== null && input.url !== settings.url) setSecret({ ofUrl: input.url, text: "" });
    update.mutate(input, {
      onSuccess: ({ url: ofUrl, signing_secret: text }) => {
        toastDone(texts.settings.saved);
        form.resetDirty(values);
        setSecret((known) =>
          ofUrl !== null && text !== null ? { ofUrl, text } : known?.ofUrl === ofUrl ? known : null,
        );
      },
      onError: (error) => {
        errors.show(error);
        if (!isUnknown(error)) setSecret(secret);
      },
    });
  });
  const isMade = secret !== null && (update.data?.url ?? settings.url) === secret.ofUrl && !update.isPending;
  return (
    <Card component="section" aria-labelledby="alert-settings" padding="lg">
      <form onSubmit={submit} noValidate aria-label={texts.settings.form}>
        <Stack gap="md" maw={480}>
          <Title order={2} size="h4" id="alert-settings">
            {texts.settings.title}
          </Title>
          <SaveAlert
            error={errors.unplaced}
            title={texts.settings.notSaved}
            isStored={isHeld(settings, update.variables)}
          />
          <NumberField
            label={texts.settings.lowBalance(account?.currency ?? "")}
            description={texts.settings.lowBalanceHint}
            decimals={2}
            suffix={account ? ` ${account.currency}` : ""}
            {...form.getInputProps("low_balance")}
          />
          <NumberField
            label={texts.settings.unusualTraffic}
            description={texts.settings.unusualTrafficHint}
            {...form.getInputProps("unusual_traffic_from")}
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
          <AlertSecret
            settings={settings}
            secret={isMade ? secret.text : null}
            onMade={(text) => settings.url && setSecret({ ofUrl: settings.url, text })}
          />
        </Stack>
      </form>
    </Card>
  );
}

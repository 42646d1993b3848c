"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { Notice } from "@/app/_ui/notice";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { SecondFactorEnrolment } from "@/server/auth/schema";

/** Shows the secret, wants a code of it, and then shows the recovery codes once. */
export function EnrolSecondFactor({ enrolment, onDone }: { enrolment: SecondFactorEnrolment; onDone: () => void }) {
  const utils = trpc.useUtils();
  const confirm = useChange(utils.client.auth.secondFactor.confirm.mutate, {
    look: async () => ((await utils.client.auth.secondFactor.get.query()).enabled ? { recovery_codes: [] } : undefined),
  });
  const form = useForm({ mode: "controlled", initialValues: { code: "" } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    confirm.mutate(values, {
      onError: errors.show,
    });
  });

  if (confirm.data) {
    const codes = confirm.data.recovery_codes;
    const finish = () => {
      onDone();
      return utils.auth.secondFactor.invalidate();
    };
    return (
      <Stack gap="md" maw={420}>
        {codes.length === 0 ? (
          <Notice title={texts.enrol.codesLost} role="alert">
            {texts.enrol.newCodes}
          </Notice>
        ) : (
          <SecretValue
            label={texts.enrol.recoveryCodes}
            value={codes.join("\n")}
            notice={texts.enrol.recoveryCodesNotice}
          />
        )}
        <Group>
          <Button onClick={finish}>{codes.length === 0 ? sharedTexts.close : texts.enrol.kept}</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.enrol.form}>
      <Stack gap="md" maw={420}>
        <Text size="sm">{texts.enrol.instructions}</Text>
        <QrCode qr={enrolment.qr} />
        <SecretValue label={texts.enrol.key} value={enrolment.secret} />
        <SaveAlert error={errors.unplaced} unknown={texts.disable.unknown} again={texts.disable.again} />
        <TextInput
          label={texts.secondFactor.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          {...form.getInputProps("code")}
        />
        <Group>
          <Button type="submit" loading={confirm.isPending}>
            {texts.enrol.submit}
          </Button>
          <Button variant="default" onClick={onDone}>
            {sharedTexts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** White around dark modules in either colour scheme: cameras expect it. */
function QrCode({ qr: { size, path } }: { qr: SecondFactorEnrolment["qr"] }) {
  return (
    <svg
      role="img"
      aria-label={texts.enrol.qrCode}
      viewBox={`0 0 ${size} ${size}`}
      width={200}
      height={200}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

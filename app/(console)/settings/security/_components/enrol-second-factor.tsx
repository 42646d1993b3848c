"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { SecondFactorEnrolment } from "@/server/auth/schema";

/** Shows the secret, wants a code of it, and then shows the recovery codes once. */
export function EnrolSecondFactor({ enrolment, onDone }: { enrolment: SecondFactorEnrolment; onDone: () => void }) {
  const utils = trpc.useUtils();
  const confirm = trpc.auth.secondFactor.confirm.useMutation();
  const form = useForm({ mode: "controlled", initialValues: { code: "" } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit((values) => {
    errors.clear();
    confirm.mutate(values, {
      onError: errors.show,
    });
  });

  if (confirm.data) {
    const finish = () => {
      onDone();
      return utils.auth.secondFactor.invalidate();
    };
    return (
      <Stack gap="md" maw={420}>
        <SecretValue
          label={texts.enrol.recoveryCodes}
          value={confirm.data.recovery_codes.join("\n")}
          notice={texts.enrol.recoveryCodesNotice}
        />
        <Group>
          <Button onClick={finish}>{texts.enrol.kept}</Button>
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
        <ErrorAlert error={errors.unplaced} />
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

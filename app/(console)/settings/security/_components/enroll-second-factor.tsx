"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { triedAgain } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { CardFormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { SecondFactorEnrollment, SecondFactorRecovery } from "@/server/auth/schema";
import { LOST_CODES, RecoveryCodes } from "./recovery-codes";

const ifEnabled = (refusal: unknown): SecondFactorRecovery | undefined =>
  apiErrorOf(refusal).reason === "second_factor_enabled" ? LOST_CODES : undefined;

/** Shows the secret, asks for a code made from it, and then shows the recovery codes once. */
export function EnrollSecondFactor({
  enrollment,
  onDone,
  onCodesLost,
}: {
  enrollment: SecondFactorEnrollment;
  onDone: () => void;
  /** Called when the recovery codes were lost on the way and the person asks for new ones. */
  onCodesLost: () => void;
}) {
  const utils = trpc.useUtils();
  const [tryToConfirm] = useState(() => triedAgain(utils.client.auth.secondFactor.confirm.mutate, ifEnabled));
  const confirm = useChange(tryToConfirm, {
    look: async () => ((await utils.client.auth.secondFactor.get.query()).enabled ? LOST_CODES : undefined),
    late: { unknown: texts.disable.unknown },
    onSettled: () => void utils.auth.secondFactor.invalidate(),
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
    return <RecoveryCodes made={confirm.data} lost={texts.enroll.appEnabled} onDone={onDone} onMakeNew={onCodesLost} />;
  }
  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.enroll.form}>
      <Stack gap="md" maw={420}>
        <Text size="sm">{texts.enroll.instructions}</Text>
        <QrCode qr={enrollment.qr} />
        <SecretValue label={texts.enroll.key} value={enrollment.secret} isRepeatable />
        <SaveAlert error={errors.unplaced} unknown={texts.disable.unknown} again={texts.disable.again} />
        <TextInput
          label={texts.secondFactor.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          // The button that opened the form is gone, and the focus with it.
          autoFocus
          {...form.getInputProps("code")}
        />
        <CardFormButtons submit={texts.enroll.submit} busy={confirm.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}

/** White around dark modules in either color scheme: cameras expect it. */
function QrCode({ qr: { size, path } }: { qr: SecondFactorEnrollment["qr"] }) {
  return (
    <svg
      role="img"
      aria-label={texts.enroll.qrCode}
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

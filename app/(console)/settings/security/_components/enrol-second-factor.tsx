"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
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
          label="Recovery codes"
          value={confirm.data.recovery_codes.join("\n")}
          notice="Each replaces the app once. Keep them somewhere you can reach without your phone: they are shown only now."
        />
        <Group>
          <Button onClick={finish}>I have kept them</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate aria-label="Setup of the authenticator app">
      <Stack gap="md" maw={420}>
        <Text size="sm">
          Scan this with your authenticator app, or type the key into it. Then enter the code that it shows.
        </Text>
        <QrCode qr={enrolment.qr} />
        <SecretValue label="Key" value={enrolment.secret} />
        <ErrorAlert error={errors.unplaced} />
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          {...form.getInputProps("code")}
        />
        <Group>
          <Button type="submit" loading={confirm.isPending}>
            Enable
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
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
      aria-label="QR code"
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

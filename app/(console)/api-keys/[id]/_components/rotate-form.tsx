"use client";

import { Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { Choice } from "@/app/_ui/forms/choice";
import { OnceAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import type { RotateApiKeyInput } from "@/server/api-keys/schema";

type Grace = RotateApiKeyInput["grace_hours"];

/** The grace periods on offer, in hours. */
const GRACES: readonly Grace[] = [1, 24, 168, 0];
const FIRST: Grace = 24;

/** Asks how long the current key stays valid. */
export function RotateForm({
  rotate,
  busy,
  onCancel,
}: {
  rotate: (grace: Grace, onError: (error: unknown) => void) => void;
  busy: boolean;
  onCancel: () => void;
}) {
  const form = useForm({ mode: "controlled", initialValues: { grace_hours: String(FIRST) } });
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    rotate(GRACES.find((hours) => String(hours) === values.grace_hours) ?? FIRST, errors.show);
  });
  return (
    <form onSubmit={submit} aria-label={texts.rotate.form}>
      <Stack gap="md">
        <OnceAlert error={errors.unplaced} title={texts.rotate.notRotated} />
        <Text size="sm">{texts.rotate.effect}</Text>
        <Choice
          label={texts.rotate.grace}
          data={GRACES.map((hours) => ({ value: String(hours), label: texts.rotate.graces[hours] }))}
          {...form.getInputProps("grace_hours")}
        />
        <FormButtons submit={texts.rotate.submit} busy={busy} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

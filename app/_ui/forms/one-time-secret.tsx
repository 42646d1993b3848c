import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { formsTexts as texts } from "@/app/_texts/ui/forms";
import { Notice } from "../notice";
import { SecretValue } from "../values/secret-value";

/** A secret that is never shown again, at the end of a dialog, above the button that closes it. */
export function OneTimeSecret({
  title,
  warning,
  label,
  value,
  notice,
  onDone,
}: {
  title: string;
  warning: ReactNode;
  label: string;
  value: string;
  /** Below the secret: how it is used. */
  notice?: ReactNode;
  onDone: () => void;
}) {
  return (
    <Stack gap="md">
      <Notice title={title}>{warning}</Notice>
      <SecretValue label={label} value={value} notice={notice} />
      <Group className="dialog-foot" justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {texts.secretCopied}
        </Button>
      </Group>
    </Stack>
  );
}

"use client";

import { Button, Code, Stack, Text } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";
import { valuesTexts as texts } from "@/app/_texts/ui/values";
import { useLeaveQuestion } from "@/app/_ui/drafts/use-leave-question";
import { IconCheck, IconCopy } from "@/app/_ui/icons/icons";
import { useUncopiedSecret } from "../forms/uncopied-secret";
import { useCopy } from "./use-copy";

type Secret = {
  label: string;
  value: string;
  notice?: ReactNode;
  /** Whether the person can have it shown again. */
  isRepeatable?: boolean;
};

/** A secret in plain text with a copy button. Unless it can be shown again, closing its dialog or the page before copying asks first. */
export function SecretValue({ label, value, notice, isRepeatable = false }: Secret) {
  const labelId = useId();
  const [copiedValue, setCopiedValue] = useState<string | null>(null);
  const onCopied = () => setCopiedValue(value);
  const { isCopied, onClick } = useCopy(value, onCopied);
  const isUncopied = !isRepeatable && copiedValue !== value;
  useLeaveQuestion(isUncopied, "secret");
  useUncopiedSecret(isUncopied);
  return (
    <Stack gap="xs">
      <Text id={labelId} size="sm" fw={500}>
        {label}
      </Text>
      <Code
        block
        fz="sm"
        aria-labelledby={labelId}
        data-testid="secret-value"
        onCopy={onCopied}
        style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", userSelect: "all" }}
      >
        {value}
      </Code>
      <Button
        onClick={onClick}
        color={isCopied ? "teal" : undefined}
        leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        // Mantine looks for what gets the focus when a dialog opens, not when its content changes.
        autoFocus={!isRepeatable}
        data-autofocus={!isRepeatable || undefined}
      >
        {isCopied ? texts.copied : texts.copy}
      </Button>
      {notice && (
        <Text size="sm" c="dimmed">
          {notice}
        </Text>
      )}
    </Stack>
  );
}

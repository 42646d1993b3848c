"use client";

import { Button, Code, Stack, Text } from "@mantine/core";
import { useId } from "react";
import { valuesTexts as texts } from "@/app/_texts/ui/values";
import { IconCheck, IconCopy } from "@/app/_ui/icons/icons";
import { useCopy } from "./use-copy";

/** A secret in plain text with a copy button. */
export function SecretValue({ label, value, notice }: { label: string; value: string; notice?: string }) {
  const labelId = useId();
  const { isCopied, onClick } = useCopy(value);
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
        style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", userSelect: "all" }}
      >
        {value}
      </Code>
      <Button
        onClick={onClick}
        color={isCopied ? "teal" : undefined}
        leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        data-autofocus
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

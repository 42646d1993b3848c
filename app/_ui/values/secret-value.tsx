"use client";

import { Button, Code, CopyButton, Stack, Text } from "@mantine/core";
import { useId } from "react";
import { valuesTexts as texts } from "@/app/_texts/ui/values";
import { IconCheck, IconCopy } from "@/app/_ui/icons/icons";

/** A secret in plain text with a copy button. */
export function SecretValue({ label, value, notice }: { label: string; value: string; notice?: string }) {
  const labelId = useId();
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
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            onClick={copy}
            color={copied ? "teal" : undefined}
            leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            data-autofocus
          >
            {copied ? texts.copied : texts.copy}
          </Button>
        )}
      </CopyButton>
      {notice && (
        <Text size="sm" c="dimmed">
          {notice}
        </Text>
      )}
    </Stack>
  );
}

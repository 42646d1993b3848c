"use client";

import { ActionIcon, CopyButton as MantineCopyButton } from "@mantine/core";
import { valuesTexts as texts } from "@/app/_texts/ui/values";
import { IconCheck, IconCopy } from "@/app/_ui/icons/icons";
import { Tooltip } from "../tooltip";

const SHOWN_FOR_MS = 1_500;

/** Copies `value` to the clipboard. `label` names the value, e.g. "Copy message id". */
export function CopyButton({ value, label = texts.copy }: { value: string; label?: string }) {
  return (
    <MantineCopyButton value={value} timeout={SHOWN_FOR_MS}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? texts.copied : label}>
          <ActionIcon
            variant="subtle"
            color={copied ? "teal" : "gray"}
            aria-label={copied ? texts.copied : label}
            onClick={(event) => {
              event.stopPropagation();
              copy();
            }}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  );
}
